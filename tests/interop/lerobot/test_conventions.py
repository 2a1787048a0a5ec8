from dataclasses import dataclass, field

import numpy as np
import pytest
from tests.interop.lerobot.foreign import camera, feature

from glam.core.errors import GlamError
from glam.data.dataset_info import parse_feature
from glam.interop.lerobot.conventions import find
from glam.interop.lerobot.entries import features_of, notation
from glam.interop.lerobot.mapping import ImportOptions, parse_map

TOP, WRIST = "observation.images.top", "observation.images.wrist"
POSE = ["ee.x", "ee.y", "ee.z", "ee.wx", "ee.wy", "ee.wz", "ee.gripper_pos"]


@dataclass(frozen=True)
class Chain:
    """A model of two joints."""

    joints: tuple[str, ...] = ("shoulder", "elbow")
    limits: np.ndarray = field(default_factory=lambda: np.array([[-1.0, 1.0], [-np.inf, np.inf]]))
    digest: str = "model"

    def poses(self, positions):
        return np.zeros((len(positions), 3)), np.tile(np.identity(3), (len(positions), 1, 1))


def parsed(declared):
    return {key: parse_feature(feature) for key, feature in declared.items()}


def declared(**changes):
    features = {
        TOP: camera(),
        WRIST: camera((16, 16)),
        "observation.state": feature(3, ["shoulder.pos", "elbow.pos", "gripper.pos"]),
        "action": feature(3, ["shoulder.pos", "elbow.pos", "gripper.pos"]),
    }
    return {key: value for key, value in (features | changes).items() if value}


def layout(features=None, chains=(), map=(), **options):
    return find(features_of(parsed(features or declared())), ImportOptions(parse_map(map), **options), dict(chains))


def test_cameras_are_called_as_their_features():
    assert layout().cameras == {"top": TOP, "wrist": WRIST}
    assert layout({"observation.image": camera(), **declared(**{TOP: None, WRIST: None})}).cameras == {
        "image": "observation.image"
    }


def test_once_a_camera_is_mapped_only_mapped_ones_are_taken():
    found = layout(map=[f"observation.images.front={TOP}"])
    assert found.cameras == {"front": TOP}
    assert found.left_out == (WRIST,)


def test_depth_is_left_out():
    depth = {"observation.images.deep": camera(**{"video.is_depth_map": True})}
    found = layout(declared(**depth))
    assert list(found.cameras) == ["top", "wrist"]
    assert "observation.images.deep" in found.left_out
    with pytest.raises(GlamError, match=r"--map observation.images.a: .*deep is no colour camera"):
        layout(declared(**depth), map=["observation.images.a=observation.images.deep"])


def test_masks_are_taken_if_every_camera_has_them():
    mask = {"dtype": "image", "shape": [24, 32, 2], "names": None}
    masks = {"observation.masks.top": mask}
    assert layout(declared(**masks)).masks == {}
    found = layout(declared(**masks), map=[f"observation.images.front={TOP}"])
    assert found.masks == {"front": "observation.masks.top"}


def test_a_set_with_an_action_is_a_target_unless_it_is_wanted_otherwise():
    assert notation(layout().action) == "action[shoulder.pos, elbow.pos, gripper.pos]"
    plain = layout(role="auxiliary")
    assert (plain.state, plain.action) == ((), ())
    assert {"action", "observation.state"} <= set(plain.left_out)
    assert layout(declared(action=None)).action == ()


def test_state_and_action_are_put_together_as_asked():
    found = layout(map=["observation.state=observation.state[elbow.pos]+observation.state[0]", "action=action[0:2]"])
    assert [entry.name for entry in found.state] == ["elbow.pos", "shoulder.pos"]
    assert len(found.action) == 2


def test_a_pose_with_telling_names_is_found_with_its_gripper():
    (arm,) = layout(declared(**{"observation.state": feature(7, POSE)})).arms
    assert notation(arm.tool.position) == "observation.state[ee.x, ee.y, ee.z]"
    assert (arm.tool.code, arm.name) == ("rotation-vector", "arm")
    assert notation(arm.gripper) == "observation.state[ee.gripper_pos]"


def test_two_arms_are_found_by_their_names():
    names = [
        f"{side}.{part}" for side in ("right", "left") for part in ("x", "y", "z", "qx", "qy", "qz", "qw", "gripper")
    ]
    found = layout(declared(**{"observation.ee": feature(16, names)}))
    assert found.arm_names == ("left", "right")
    assert [notation(arm.gripper) for arm in found.arms] == [
        "observation.ee[left.gripper]",
        "observation.ee[right.gripper]",
    ]


def test_without_a_pose_joints_still_tell_how_many_arms_there_are():
    assert layout().arms == ()
    assert layout().arm_names == ("arm",)
    names = ["left_waist", "left_gripper", "right_waist", "right_gripper"]
    assert layout(declared(**{"observation.state": feature(4, names)})).arm_names == ("left", "right")


@pytest.mark.parametrize(
    ("size", "names", "code"),
    [
        (6, None, "six"),
        (9, None, "matrix"),
        (4, ["qw", "qx", "qy", "qz"], "quaternion-wxyz"),
        (4, ["x", "y", "z", "w"], "quaternion-xyzw"),
        (3, ["a.roll", "a.pitch", "a.yaw"], "roll-pitch-yaw"),
    ],
)
def test_the_code_of_a_mapped_rotation_is_known_where_size_or_names_tell(size, names, code):
    extra = {"observation.p": feature(3), "observation.r": feature(size, names)}
    mapped = ["observation.ee_pose.position=observation.p", "observation.ee_pose.rotation=observation.r"]
    assert layout(declared(**extra), map=mapped).arms[0].tool.code == code


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"map": ["observation.ee_pose.position=action[0:2]"]}, "2 entries; a position has 3"),
        ({"map": ["observation.ee_pose.position=action"]}, r"rotation: is missing, and no rotation is found by name"),
        (
            {"map": ["observation.ee_pose.position=action", "observation.ee_pose.rotation=action"]},
            "3 entries may be rotation-vector or roll-pitch-yaw; say with --rotation",
        ),
        (
            {
                "map": ["observation.ee_pose.position=action", "observation.ee_pose.rotation=action"],
                "rotation": "six",
            },
            "3 entries, but six has 6",
        ),
        (
            {"map": ["observation.ee_pose.gripper=action[0]"]},
            r"ee_pose.gripper: has no effect, as there is no such pose",
        ),
        ({"map": ["joints=action"]}, "--map joints: needs --kinematics"),
        (
            {"map": ["observation.ee_pose.position=action"], "chains": {"": Chain()}},
            "has no effect, as poses come from --kinematics",
        ),
        (
            {"map": ["joints=action"], "chains": {"": Chain()}},
            "3 entries, but 2 joints move the tool: shoulder, elbow",
        ),
        ({"chains": {"": Chain(("a", "b", "c"))}}, "nothing recorded is called a, b, c; .*--map joints="),
        ({"features": declared(action=None), "role": "target"}, "--role target: there is no action"),
        ({"features": {"action": feature(2)}}, "no camera: no feature is a colour video or image; it has action"),
        ({"map": ["observation.images.a=action"]}, r"no camera 'action'; the dataset has observation.images.top"),
    ],
)
def test_what_cannot_be_found_or_used_is_named(options, sentence):
    with pytest.raises(GlamError, match=sentence):
        layout(**options)


def test_a_gripper_that_is_not_clear_must_be_named():
    names = [*POSE, "ee.gripper_left"]
    features = declared(**{"observation.state": feature(8, names)})
    with pytest.raises(GlamError, match=r"may each be the gripper; say which with --map observation.ee_pose.gripper="):
        layout(features)
    (arm,) = layout(features, map=["observation.ee_pose.gripper=observation.state[6,7]"]).arms
    assert len(arm.gripper) == 2


def test_joints_are_found_by_name_and_else_in_order():
    by_name = layout(chains={"": Chain(("elbow_joint", "shoulder"))}).arms[0].tool
    assert [entry.name for entry in by_name.joints] == ["elbow.pos", "shoulder.pos"]
    in_order = layout(chains={"": Chain(("j1", "j2"))}).arms[0].tool
    assert [entry.name for entry in in_order.joints] == ["shoulder.pos", "elbow.pos"]
    mapped = layout(chains={"": Chain()}, map=["joints=action[1,0]"]).arms[0].tool
    assert notation(mapped.joints) == "action[elbow.pos, shoulder.pos]"


def test_each_of_two_arms_has_its_own_joints():
    names = [f"{side}_{joint}" for side in ("left", "right") for joint in ("a", "b", "gripper")]
    found = layout(
        declared(**{"observation.state": feature(6, names)}),
        chains={"left": Chain(("1", "2")), "right": Chain(("3", "4"))},
    )
    assert [[entry.name for entry in arm.tool.joints] for arm in found.arms] == [
        ["left_a", "left_b"],
        ["right_a", "right_b"],
    ]
    assert [notation(arm.gripper) for arm in found.arms] == [
        "observation.state[left_gripper]",
        "observation.state[right_gripper]",
    ]
