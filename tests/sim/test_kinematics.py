from pathlib import Path

import numpy as np
import pytest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.sim.kinematics import Chain

MJCF = """<mujoco>
  <asset><mesh name="m" file="nowhere.stl"/><texture name="t" type="2d" file="no.png"/>
    <material name="p" texture="t"/></asset>
  <worldbody><body name="upper" pos="0 0 0.3"><joint name="shoulder" range="-90 90"/>
    <geom type="mesh" mesh="m" material="p"/>
    <body name="fore" pos="0.2 0 0"><joint name="slide" type="slide" axis="1 0 0"/>
      <site name="tip" pos="0.1 0 0" euler="180 0 0"/></body></body>
    <body name="cart"><freejoint/><geom size="0.1"/><body name="bell"/></body></worldbody>
  <actuator><position joint="shoulder"/></actuator>
  <equality><joint joint1="shoulder" joint2="slide"/></equality>
  <sensor><jointpos joint="slide"/></sensor>
  <keyframe><key qpos="0 0 0 0 0 1 0 0 0"/></keyframe>
</mujoco>"""


@pytest.fixture
def model(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "robot.xml"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("text", [foreign.URDF, MJCF], ids=["urdf", "mjcf"])
def test_a_tool_is_where_geometry_puts_it_though_meshes_are_missing(model, text) -> None:
    chain = Chain.open(model(text), "tip")
    assert chain.joints == ("shoulder", "slide")
    angles = foreign.joints(0)[:, :2]
    places, rotations = chain.poses(angles)
    np.testing.assert_allclose(places, foreign.tip(angles), atol=1e-9)
    np.testing.assert_allclose(rotations[:, :, 2], [[0.0, 0.0, -1.0]] * len(angles), atol=1e-9)
    np.testing.assert_allclose(rotations[:, 1, 0], np.sin(angles[:, 0]), atol=1e-9)


def test_limits_are_those_of_the_model_and_infinite_where_it_has_none(model) -> None:
    np.testing.assert_allclose(Chain.open(model(foreign.URDF), "tip").limits, [[-2.0, 2.0], [-1.0, 1.0]])
    limits = Chain.open(model(MJCF), "tip").limits
    np.testing.assert_allclose(limits, [[-np.pi / 2, np.pi / 2], [-np.inf, np.inf]])


def test_only_joints_that_move_the_tool_count(model) -> None:
    assert Chain.open(model(foreign.URDF), "upper").joints == ("shoulder",)


@pytest.mark.parametrize(
    ("text", "tool", "sentence"),
    [
        (foreign.URDF, "hand", r"robot.xml: no tool frame 'hand'; choose one of .*fore.*tip"),
        (foreign.URDF, "base", "no joint moves the tool frame"),
        (MJCF, "bell", "neither turns about one axis nor slides along one"),
        ("<robot>", "tip", r"robot.xml: not a URDF or MJCF that MuJoCo reads \("),
        ("", "tip", "not a URDF or MJCF that MuJoCo reads"),
        ("<mujoco><include file='/etc/hostname'/></mujoco>", "tip", "not a URDF or MJCF that MuJoCo reads"),
    ],
)
def test_what_is_no_arm_is_refused(model, text, tool, sentence) -> None:
    with pytest.raises(GlamError, match=sentence):
        Chain.open(model(text), tool)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=r"none.urdf: no such file; --kinematics takes a URDF or MJCF"):
        Chain.open(tmp_path / "none.urdf", "tip")


def test_the_digest_tells_models_and_tools_apart(model) -> None:
    digests = {Chain.open(model(text), tool).digest for text in (foreign.URDF, MJCF) for tool in ("tip", "fore")}
    assert len(digests) == 4
