from dataclasses import replace

import pytest
from tests.interop.imports.test_conversion import recording

from glam.interop.imports.increments import increments_among, told


@pytest.mark.parametrize(
    ("names", "increments"),
    [
        (("dx", "dy", "dz", "fingers"), (0, 1, 2)),
        (("left_arm.j1", "left_gripper.pos", "right_arm.j1", "right_gripper.pos"), (0, 2)),
        (("delta_x", "Grasp"), (0,)),
        (("dx", "gripper_delta"), (0, 1)),
        (("0", "1", "2"), (0, 1, 2)),
    ],
)
def test_all_are_increments_but_what_is_called_like_a_gripper(names, increments):
    assert increments_among(names) == increments


def test_what_the_user_says_of_actions_comes_first(tmp_path):
    source = recording(tmp_path, action_names=("dx", "gripper"))
    assert told(source, "auto") is source
    said = told(source, "increments")
    assert (said.increments, said.is_bound_to_rate) == ((0,), True)
    known = replace(source, increments=(0, 1), is_bound_to_rate=True)
    assert told(known, "increments").increments == (0, 1)
    absolute = told(known, "absolute")
    assert (absolute.increments, absolute.is_bound_to_rate) == ((), False)


def test_there_is_nothing_to_say_of_a_set_without_actions(tmp_path):
    source = recording(tmp_path, action_names=())
    assert told(source, "increments") is source
