import pytest

from glam.core.configs import from_json, to_json
from glam_client.errors import GlamError
from glam_client.pose_conversion import ArmRecipe, PoseRecipe, recipe_in

RECIPE = PoseRecipe(
    {"observation.tool": ("x", "y", "z", "rx", "ry", "rz", "opening")},
    (
        ArmRecipe(
            "arm",
            tuple(("observation.tool", number) for number in range(6)),
            "rotation-vector",
            gripper=(("observation.tool", 6),),
            opened=0.1,
        ),
    ),
    lengths="millimetres",
    tool=(0.0, 0.0, 0.1, 0.0, 0.0, 90.0),
)


def test_a_recipe_survives_json():
    assert from_json(PoseRecipe, to_json(RECIPE)) == RECIPE


def test_a_manifest_holds_one_or_there_is_none():
    assert recipe_in({"description": {"config": {"poses": to_json(RECIPE)}}}) == RECIPE
    for nothing in ({}, {"description": {"config": {"speed": 1.5}}}):
        assert recipe_in(nothing) == PoseRecipe()


@pytest.mark.parametrize("number", [("observation.tool", 7), ("observation.tool", -1), ("observation.state", 0)])
def test_numbers_that_are_not_among_the_features_are_refused(number):
    arm = ArmRecipe("left", (number,), "joints")
    with pytest.raises(GlamError, match=rf"pose of left: {number[0]} has no number {number[1]}"):
        PoseRecipe(RECIPE.features, (arm,))


def test_a_gripper_that_never_reads_anything_else_is_refused():
    with pytest.raises(GlamError, match="pose of arm: its gripper reads 2 both closed and open"):
        ArmRecipe("arm", (), "six", closed=2.0, opened=2.0)


def test_a_way_to_write_rotations_that_nobody_knows_is_refused():
    with pytest.raises(GlamError, match="'euler' is not one of"):
        from_json(ArmRecipe, {"name": "arm", "numbers": [], "code": "euler"})
