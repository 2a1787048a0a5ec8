import pytest

from glam.core.errors import GlamError
from glam.data.schema import ACTION, EE_POSE, STATE, Schema


def schema(**changes: object) -> Schema:
    given = {
        "fps": 10,
        "image_size": (96, 96),
        "cameras": ("front", "overhead"),
        "objects": ("red", "blue"),
        "arms": ("left", "right"),
    }
    return Schema(**(given | changes))


def test_a_set_without_actions_is_auxiliary_and_has_neither_state_nor_action() -> None:
    assert schema().role == "auxiliary"
    assert set(schema().vectors) == {EE_POSE}
    assert not {STATE, ACTION} & set(schema().features())


def test_a_set_with_actions_is_a_target() -> None:
    target = schema(state_names=("j",), action_names=("j",))
    assert target.role == "target"
    assert target.features()[ACTION] == {"dtype": "float32", "shape": [1], "names": ["j"]}


def test_delta_actions_are_told_with_the_action_and_where_there_are_none_nothing_is() -> None:
    names = {"state_names": ("j", "g"), "action_names": ("j", "g")}
    assert schema(**names, delta_actions=("j",)).features()[ACTION]["info"] == {"delta_actions": ["j"]}
    assert "info" not in schema(**names).features()[ACTION]


def test_poses_have_ten_entries_per_arm() -> None:
    assert schema().features()[EE_POSE]["shape"] == [20]
    assert schema().pose_names[10] == "right.x"


def test_masks_have_one_channel_per_object() -> None:
    assert schema().features()["observation.masks.front"]["shape"] == [96, 96, 2]
    assert schema(objects=()).mask_keys == ()


@pytest.mark.parametrize("changes", [{"objects": tuple("abcde")}, {"image_size": (95, 96)}, {"delta_actions": ("j",)}])
def test_what_cannot_be_stored_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(GlamError):
        schema(**changes)
