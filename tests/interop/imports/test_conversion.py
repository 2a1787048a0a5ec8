"""Episodes of ours out of tracks of others."""

from dataclasses import replace

import numpy as np
import pytest
from tests.data.tiny import images
from tests.interop.imports.test_resampling import TWENTY, motion

from glam.core.errors import GlamError
from glam.data.recording import require_valid
from glam.interop.imports.conversion import plan
from glam.interop.imports.recordings import FrameSequence, Recording, Track
from glam_client.resizing import resize

PIXELS = images((12, 16), len(TWENTY), 3)


def pieces(first, last):
    """Three frames at a time."""
    for start in range(first, last, 3):
        yield PIXELS[start : min(start + 3, last)]


def recording(source, size=(12, 16), **change):
    film = FrameSequence("front.mp4", TWENTY, size, pieces)
    track = Track("episode_0", "Lift.", motion(TWENTY), {"front": film})
    sound = Recording(source, "robot", 20.0, ("arm",), ("j",), ("a",), is_bound_to_rate=False, tracks=(track,))
    return replace(sound, **change)


def test_as_recorded_nothing_is_changed(tmp_path):
    made = plan(recording(tmp_path), None, None)
    episode = made.episode(0)
    require_valid(made.schema, episode, 0)
    assert np.array_equal(episode.images["observation.images.front"], PIXELS)
    assert episode.vectors["action"][:, 0] == pytest.approx(TWENTY)
    assert made.schema.image_size == (12, 16)


def test_what_is_made_is_told_in_a_sentence(tmp_path):
    made = plan(recording(tmp_path), 5, 8).result(tmp_path / "set")
    assert made.sentence == f"1 episodes, {len(TWENTY[::4])} frames at 5 Hz: a target set, with actions"
    assert replace(made, role="auxiliary").sentence.endswith(": an auxiliary set, without actions")


def test_a_rate_and_a_size_choose_and_shrink_the_nearest_frames(tmp_path):
    made = plan(recording(tmp_path), 5, 8)
    episode = made.episode(0)
    require_valid(made.schema, episode, 0)
    assert np.array_equal(episode.images["observation.images.front"], resize(PIXELS[::4], (8, 8)))
    assert episode.vectors["observation.ee_pose"][:, 0] == pytest.approx(TWENTY[::4])


def test_masks_are_shrunk_to_whole_pixels(tmp_path):
    masks = np.where(np.arange(16)[None, None, :, None] < 9, 255, 0) * np.ones((len(TWENTY), 12, 1, 2))
    track = recording(tmp_path).tracks[0]
    film = FrameSequence(
        "front", TWENTY, (12, 16), lambda first, last: iter([masks[first:last].astype(np.uint8)]), channels=2
    )
    masked = recording(tmp_path, tracks=(replace(track, masks={"front": film}),), objects=("red", "green"))
    made = plan(masked, 10, 4)
    episode = made.episode(0)
    require_valid(made.schema, episode, 0)
    assert episode.masks["observation.masks.front"][0, 0, :, 0].tolist() == [255, 255, 0, 0]


def test_a_recording_without_poses_becomes_episodes_without(tmp_path):
    track = recording(tmp_path).tracks[0]
    blind = replace(
        track.motion, positions=np.empty((41, 0, 3)), quaternions=np.empty((41, 0, 4)), openings=np.empty((41, 0))
    )
    made = plan(recording(tmp_path, tracks=(replace(track, motion=blind),), has_pose=False), 10, None)
    episode = made.episode(0)
    require_valid(made.schema, episode, 0)
    assert set(episode.vectors) == {"observation.state", "action"}


def test_delta_actions_are_summed_at_another_rate_alone(tmp_path):
    assert plan(recording(tmp_path, delta_actions=(0,)), None, None).summed == ()
    assert plan(recording(tmp_path, delta_actions=(0,)), 10, None).summed == (0,)


@pytest.mark.parametrize("rate", [None, 10])
def test_a_set_says_which_of_its_actions_are_delta_actions(tmp_path, rate):
    assert plan(recording(tmp_path, delta_actions=(0,)), rate, None).schema.delta_actions == ("a",)
    assert plan(recording(tmp_path), rate, None).schema.delta_actions == ()


def test_a_faster_rate_repeats_frames(tmp_path):
    images = plan(recording(tmp_path), 40, None).episode(0).images["observation.images.front"]
    assert len(images) == 81
    assert np.array_equal(images[::2], PIXELS)


@pytest.mark.parametrize(
    ("change", "rate", "size", "message"),
    [
        ({}, None, 7, "--size 7 must be even"),
        ({}, None, 100_000, "--size 100000 must be even"),
        ({}, 0, None, "--rate 0"),
        ({"size": (11, 16)}, None, None, "images of 11 x 16, which must be even; choose a size with --size"),
        ({"size": (4000, 4000)}, None, None, r"41 frames of 4000 x 4000 take 1\.8 GB"),
        ({"is_bound_to_rate": True}, 10, None, "its actions are deltas"),
        ({"rate": 12.5}, None, None, "--rate"),
    ],
)
def test_what_cannot_be_made_is_refused_before_images_are_read(tmp_path, monkeypatch, change, rate, size, message):
    monkeypatch.setattr("glam.interop.imports.conversion.LARGEST_EPISODE", 1 << 30)
    with pytest.raises(GlamError, match=rf"^{tmp_path}: .*{message}"):
        plan(recording(tmp_path, **change), rate, size)
