"""Object masks of images by pretrained models: from a click or a box, carried over an episode, or from a text."""
