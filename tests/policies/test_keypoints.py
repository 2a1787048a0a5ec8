import numpy as np

from glam.data.windows import EpisodeTable
from glam.policies.keypoints import keypoints, mask_centroids, whereabouts

EPISODE = EpisodeTable.of_lengths([5])


def test_centroids_are_where_the_mask_is() -> None:
    masks = np.zeros((2, 9, 9, 2), np.uint8)
    masks[0, 0:3, 6:9, 0] = 255
    masks[0, 3:6, 3:6, 1] = 255
    masks[1, 0, 0, 0] = 255
    centroids, is_seen = mask_centroids(masks)
    np.testing.assert_allclose(centroids[0], [0.75, 0.0, -0.75, 0.0], atol=1e-6)
    assert is_seen.tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]


def film(*frames: np.ndarray) -> np.ndarray:
    """One object in one view. (T, Y, X, 1)."""
    return np.stack(frames)[..., None].astype(np.uint8)


def square(x: int, width: int = 4) -> np.ndarray:
    """An object of 4 x 4 pixels of which `width` columns from x on are seen."""
    picture = np.zeros((9, 9))
    picture[2:6, x : x + width] = 255
    return picture


NOTHING = np.zeros((9, 9))


def test_an_object_that_is_hidden_in_part_stays_where_it_was_seen_whole() -> None:
    masks = film(square(2), square(3, 3), square(5, 1), NOTHING, square(3, 3))
    places, is_known = keypoints(masks, EPISODE, "whole")
    assert np.unique(places[:, 0]).size == np.unique(places[:, 1]).size == 1
    assert is_known.all()  # also while it is hidden: it is seen again where it was


def test_an_object_that_has_moved_is_where_it_is_seen() -> None:
    masks = film(square(0), square(1), square(3), square(5), square(5, 2))
    places, _ = keypoints(masks, EPISODE, "whole")
    visible, _ = mask_centroids(masks)
    np.testing.assert_allclose(places[:4], visible[:4])
    np.testing.assert_allclose(places[4], visible[3])  # it came to rest, and is hidden in part


def test_nothing_is_said_of_where_a_hidden_object_goes() -> None:
    masks = film(square(0), NOTHING, square(5), NOTHING, NOTHING)
    _, is_known = keypoints(masks, EPISODE, "whole")
    assert is_known[:, 0].tolist() == is_known[:, 1].tolist() == [1, 0, 1, 0, 0]


def test_what_is_visible_can_be_the_lesson() -> None:
    masks = film(square(2), square(3, 3), square(5, 1), NOTHING, square(3, 3))
    for ours, plain in zip(keypoints(masks, EPISODE, "visible"), mask_centroids(masks), strict=True):
        assert np.array_equal(ours, plain)


def test_the_best_view_so_far_counts_however_slowly_the_object_is_hidden() -> None:
    seen = np.full((6, 20), 255, np.uint8)
    for frame in range(6):
        seen[frame, : 1 * frame] = 0  # one pixel in twenty a frame: never much at once
    assert whereabouts(seen, np.ones(6, bool)).tolist() == [0] * 6


def test_episodes_have_nothing_to_do_with_each_other() -> None:
    masks = film(square(2), square(3, 3), square(3, 3), square(2), square(4, 2))
    places, _ = keypoints(masks, EpisodeTable.of_lengths([2, 3]), "whole")
    assert places[0, 0] == places[1, 0]
    assert places[2, 0] > places[1, 0]
    assert places[3, 0] == places[4, 0] == places[0, 0]
