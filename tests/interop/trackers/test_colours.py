import numpy as np

from glam.interop.trackers.colours import colours_of

BROWN = np.array([150.0, 95.0, 20.0])


def test_a_colour_stays_itself_in_other_light_and_no_other_is_like_it():
    rng = np.random.default_rng(0)
    found = colours_of([np.clip(BROWN + rng.normal(0.0, 4.0, (60, 3)), 0, 255).astype(np.uint8)])
    images = np.array([[BROWN, 0.8 * BROWN, (178, 170, 158), (180, 20, 20), (0, 0, 0)]]).astype(np.uint8)
    (likeness,) = found.likeness(images)
    assert (likeness[:2] > 0.9).all()
    assert (likeness[2:] < 0.05).all()


def test_a_finger_of_two_colours_has_both():
    pixels = np.repeat([BROWN, (60, 60, 200), (200, 200, 60)], 20, axis=0).astype(np.uint8)
    found = colours_of([pixels[:30], pixels[30:]])
    assert (found.likeness(pixels[::20]) > 0.9).all()
