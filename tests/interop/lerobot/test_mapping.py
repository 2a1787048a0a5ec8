import pytest

from glam.core.errors import GlamError
from glam.interop.lerobot.mapping import ImportOptions, parse_map


def test_our_names_stand_on_the_left():
    texts = ["observation.images.front=observation.images.top", "action = a + b[0:3]", "joints.left=s"]
    assert parse_map(texts) == {
        "observation.images.front": "observation.images.top",
        "action": "a + b[0:3]",
        "joints.left": "s",
    }


@pytest.mark.parametrize(
    "ours",
    ["observation.ee_pose.position", "observation.ee_pose.left.rotation", "observation.ee_pose.gripper", "joints"],
)
def test_parts_of_a_pose_can_be_named(ours):
    assert parse_map([f"{ours}=f"]) == {ours: "f"}


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["observation.state"], "--map 'observation.state': write OURS=THEIRS"),
        (["=x"], "write OURS=THEIRS"),
        (["observation.stat=x"], r"--map observation.stat: no feature of ours; the left of = must be one of .*joints"),
        (["observation.ee_pose=x"], "no feature of ours"),
        (["action=x", "action=y"], r"--map action: is given twice; join features with \+, as in action=x\+y"),
    ],
)
def test_a_mapping_that_cannot_be_meant_is_refused(texts, sentence):
    with pytest.raises(GlamError, match=sentence):
        parse_map(texts)


@pytest.mark.parametrize("flag", ["base", "tool"])
def test_a_place_must_be_somewhere(flag):
    with pytest.raises(GlamError, match=f"--{flag} must be six finite numbers"):
        ImportOptions(**{flag: (0.0, 0.0, float("nan"), 0.0, 0.0, 0.0)})
