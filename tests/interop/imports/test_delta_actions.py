from dataclasses import replace

import pytest
from tests.interop.imports.test_conversion import recording

from glam.interop.imports.delta_actions import delta_actions_among, with_action_kind


@pytest.mark.parametrize(
    ("names", "delta_actions"),
    [
        (("dx", "dy", "dz", "fingers"), (0, 1, 2)),
        (("left_arm.j1", "left_gripper.pos", "right_arm.j1", "right_gripper.pos"), (0, 2)),
        (("delta_x", "Grasp"), (0,)),
        (("dx", "gripper_delta"), (0, 1)),
        (("0", "1", "2"), (0, 1, 2)),
    ],
)
def test_all_are_deltas_but_what_is_called_like_a_gripper(names, delta_actions):
    assert delta_actions_among(names) == delta_actions


def test_what_the_user_says_of_actions_comes_first(tmp_path):
    source = recording(tmp_path, action_names=("dx", "gripper"))
    assert with_action_kind(source, "auto") is source
    said = with_action_kind(source, "delta")
    assert (said.delta_actions, said.is_bound_to_rate) == ((0,), True)
    known = replace(source, delta_actions=(0, 1), is_bound_to_rate=True)
    assert with_action_kind(known, "delta").delta_actions == (0, 1)
    absolute = with_action_kind(known, "absolute")
    assert (absolute.delta_actions, absolute.is_bound_to_rate) == ((), False)


def test_there_is_nothing_to_say_of_a_set_without_actions(tmp_path):
    source = recording(tmp_path, action_names=())
    assert with_action_kind(source, "delta") is source
