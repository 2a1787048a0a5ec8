import numpy as np
import pytest
from tests.data import carrying

from glam.core.geometry import rotation_from_six
from glam.data.carried_objects import CarryModel
from glam.sim.sensors import Tracker


def test_the_path_of_the_hand_is_told_by_the_object_that_it_carries():
    model = CarryModel.fit(carrying.target())
    assert list(model.weights) == [0]
    motions = [model.motion(path) for path in carrying.others()]
    assert max(np.linalg.norm(motion.moved) for motion in motions) < 5e-3
    assert np.median([abs(motion.heading) for motion in motions]) < np.deg2rad(2.0)
    assert min(motion.frames for motion in motions) > 0


def test_a_motion_keeps_the_vertical():
    model = CarryModel.fit(carrying.target())
    turned = carrying.measured(carrying.others()[:1], Tracker(has_own_frame=True))[0]
    found = model.motion(turned).applied(turned.poses)
    assert rotation_from_six(found[:, 3:9])[:, 2] == pytest.approx(rotation_from_six(turned.poses[:, 3:9])[:, 2])
