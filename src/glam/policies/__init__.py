"""Stage 2: policies that predict chunks of latent actions or of actions, and what stands between them and a robot."""
