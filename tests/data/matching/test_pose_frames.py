"""The frame of the poses of a set, and cameras that stand elsewhere, are measured by what hands carry."""

from dataclasses import replace

import numpy as np
import pytest
from tests.data import carrying
from tests.data.carrying import CAMERAS, episode, measured

from glam.data.carried_objects import CarryModel, grips, view_mismatch
from glam.data.matching.pose_frames import frame_of
from glam.sim.sensors import Tracker


@pytest.fixture(scope="module")
def target():
    return carrying.target()


@pytest.fixture(scope="module")
def others():
    return carrying.others()


@pytest.mark.parametrize(
    ("tracker", "case"),
    [
        (Tracker(), "common"),
        (Tracker(20.0, 5.0), "per-episode"),
        (Tracker(has_own_frame=True), "own"),
        (Tracker(tool_offset_mm=30.0), "constant"),
        (Tracker(tool_turn_degrees=10.0), "constant"),
        (Tracker(gripper_readings=(0.0, 0.5)), "common"),
    ],
)
def test_the_case_is_measured(target, others, tracker, case):
    found = frame_of(target, measured(others, tracker))
    assert found.case == case
    assert (found.grips is None) == (tracker.gripper_readings == (0.0, 1.0))


def test_cameras_that_stand_elsewhere_are_told_by_the_objects_alone(target):
    moved = [episode(seed, (CAMERAS[0], (0.9, 0.75, 0.7))) for seed in range(100, 110)]
    assert frame_of(target, moved).case == "cameras"
    assert view_mismatch(target, moved) > 5.0 * view_mismatch(target, target)


def test_nothing_is_told_where_nothing_is_carried(target, others):
    idle = [replace(one, places=np.full_like(one.places, np.nan)) for one in others]
    assert CarryModel.fit(idle) is None
    assert frame_of(idle, others).case == "unknown"
    assert frame_of(target, idle).reason == "nothing is carried in this set"
    assert grips(idle) is None
