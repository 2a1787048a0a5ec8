"""Poses in any frame come back into the target's."""

from dataclasses import replace

import numpy as np
import pytest
from tests.data import carrying
from tests.data.carrying import measured

from glam.core.geometry import rotation_from_six
from glam.data.aligned_copy import aligned
from glam.sim.sensors import Tracker


@pytest.fixture(scope="module")
def target():
    return carrying.target()


@pytest.fixture(scope="module")
def others():
    return carrying.others()


def errors(found, paths):
    """Millimetres and degrees between found and true poses, medians."""
    far = [np.linalg.norm(a[:, :3] - b.poses[:, :3], axis=1).mean() for a, b in zip(found, paths, strict=True)]
    turns = [
        rotation_from_six(a[0, 3:9].astype(float)).T @ rotation_from_six(b.poses[0, 3:9])
        for a, b in zip(found, paths, strict=True)
    ]
    angles = np.arccos(np.clip((np.trace(np.array(turns), axis1=1, axis2=2) - 1) / 2, -1, 1))
    return 1000.0 * float(np.median(far)), float(np.degrees(np.median(angles)))


@pytest.mark.parametrize(
    "tracker",
    [
        Tracker(has_own_frame=True),
        Tracker(20.0, 5.0),
        Tracker(tool_offset_mm=30.0, tool_turn_degrees=10.0),
        Tracker(has_own_frame=True, tool_offset_mm=30.0, tool_turn_degrees=10.0, gripper_readings=(0.2, 0.6)),
    ],
)
def test_poses_of_any_frame_come_back_into_the_targets(target, others, tracker):
    found, alignment = aligned(target, measured(others, tracker))
    millimetres, degrees = errors(found, others)
    assert millimetres < 5.0
    assert degrees < 5.0  # an error of an episode tilts, too, which gravity in one episode does not tell
    assert alignment.by_start == 0
    assert np.median([np.abs(a[:, 9] - b.poses[:, 9]).max() for a, b in zip(found, others, strict=True)]) < 0.02


def test_good_poses_stay_where_they_are(target, others):
    found, alignment = aligned(target, others)
    assert errors(found, others)[0] < 3.0
    assert alignment.tilt_degrees == 0.0
    assert alignment.gripper == (1.0, 0.0)


def test_an_episode_that_carries_nothing_is_taken_to_start_as_usual(target, others):
    idle = replace(others[0], places=np.full_like(others[0].places, 0.2))
    found, alignment = aligned(target, measured([idle, *others[1:]], Tracker(has_own_frame=True)))
    assert alignment.by_start == 1
    assert found[0][0, :3] == pytest.approx(np.mean([one.poses[0, :3] for one in target], axis=0), abs=1e-3)
