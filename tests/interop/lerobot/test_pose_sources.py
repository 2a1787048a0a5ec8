import numpy as np
from tests.packages.glam_client.test_pose_conversion import Chain

from glam.interop.lerobot.entries import Entry
from glam.interop.lerobot.pose_sources import Computed, Measured, outside


def entries(count):
    return tuple(Entry("f", number, str(number)) for number in range(count))


def test_a_joint_that_is_often_beyond_its_limits_is_named():
    tool = Computed(entries(2), Chain())
    inside, beyond = np.zeros((19, 2)), np.full((2, 2), 1.5)
    assert outside(tool, [inside, beyond], in_degrees=False) == "turn"
    assert outside(tool, [inside, inside, beyond[:1]], in_degrees=False) == ""
    assert outside(Measured((), (), "six"), [inside], in_degrees=False) == ""
