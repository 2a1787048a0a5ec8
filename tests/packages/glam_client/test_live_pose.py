"""What a robot makes of its readings is what adopting made of the same readings."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.interop.lerobot import foreign

from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.imports.recordings import Hints
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.sim.kinematics import Chain
from glam.stages.adopt import AdoptConfig, prepare
from glam_client.errors import GlamError
from glam_client.live_pose import LivePose
from glam_client.pose_conversion import ArmRecipe, PoseRecipe, recipe_in

TOOL = "observation.tool"
BASE, OFFSET = (0.5, -0.2, 0.1, 10.0, 20.0, 90.0), (0.0, 0.01, 0.12, 180.0, 0.0, 45.0)
PLACES = np.random.default_rng(0).uniform(-0.5, 0.5, (7, 3))
TURNS = Rotation.random(7, rng=1)
OPENINGS = np.linspace(0.01, 0.07, 7)[:, None]
MJCF = """<mujoco><worldbody><body name="upper"><joint name="swing" axis="0 0 1"/><body name="fore" pos="0.3 0 0.1">
<joint name="nod" axis="0 1 0"/><site name="tip" pos="0.2 0 0" euler="0 30 0"/></body></body></worldbody></mujoco>"""


def measured(root, names, rows):
    """A set of a robot that tells its pose; its state is something else."""
    features = {
        "observation.images.main": foreign.camera(),
        TOOL: foreign.feature(len(names), list(names)),
        STATE: foreign.feature(2),
        ACTION: foreign.feature(2),
    }
    other = np.tile(np.arange(len(rows))[:, None], (1, 2))
    return foreign.write(root, features, [{TOOL: rows, STATE: other, ACTION: other}])


def adopted(source, out, chains=(), **options):
    """The dataset that is made of a set."""
    config = AdoptConfig(ImportOptions(options.pop("names", {}), actions="absolute", **options))
    return Dataset.open(prepare(config, source, out, dict(zip([""], chains, strict=False))).write().root)


def require_same(dataset, rows, chains=()):
    """By what the manifest says, each row alone gives the pose that the dataset has."""
    live = LivePose(recipe_in(dataset.provenance), chains)
    (feature,) = live.recipe.features
    poses = np.stack([live({feature: row, "other": [1.0]}) for row in rows])
    assert poses.dtype == np.float32
    np.testing.assert_allclose(poses, dataset.vectors(0)[EE_POSE], rtol=0.0, atol=2e-7)
    return poses


def test_a_recorded_pose_with_a_quaternion(tmp_path):
    rows = np.hstack([PLACES, TURNS.as_quat(), OPENINGS]).astype(np.float32)
    source = measured(tmp_path / "source", ("x", "y", "z", "qx", "qy", "qz", "qw", "gripper"), rows)
    dataset = adopted(source, tmp_path / "set", base=BASE, tool=OFFSET, hints=Hints(gripper=(0.0, 0.1)))
    poses = require_same(dataset, rows)
    np.testing.assert_allclose(poses[:, 9], 10.0 * OPENINGS[:, 0], atol=1e-6)
    assert np.abs(poses[:, :3] - PLACES).min(axis=0).max() > 0.01  # of another point, in another frame


def test_millimetres_and_degrees_and_a_gripper_that_reads_less_when_open(tmp_path):
    rows = np.hstack([1000.0 * PLACES, TURNS.as_euler("xyz", degrees=True), 100.0 * OPENINGS]).astype(np.float32)
    source = measured(tmp_path / "source", ("x", "y", "z", "roll", "pitch", "yaw", "gripper"), rows)
    hints = Hints(gripper=(10.0, 0.0))
    dataset = adopted(source, tmp_path / "set", lengths="millimetres", angles="degrees", hints=hints)
    poses = require_same(dataset, rows)
    np.testing.assert_allclose(poses[:, :3], PLACES, atol=1e-6)
    np.testing.assert_allclose(poses[:, 9], 1.0 - 10.0 * OPENINGS[:, 0], atol=1e-6)


def test_forward_kinematics_by_a_urdf_and_the_widest_reading_of_the_set(tmp_path):
    (tmp_path / "crane.urdf").write_text(foreign.URDF)
    chains = [Chain.open(tmp_path / "crane.urdf", "tip")]
    front = parse_map(["observation.images.front=observation.images.top"])
    dataset = adopted(foreign.arm(tmp_path / "source"), tmp_path / "set", chains, names=front)
    rows = foreign.joints(0).astype(np.float32)
    poses = require_same(dataset, rows, chains)
    np.testing.assert_allclose(poses[:, :3], foreign.tip(foreign.joints(0)), atol=1e-6)
    assert recipe_in(dataset.provenance).arms[0].opened == pytest.approx(100.0)


def test_forward_kinematics_by_an_mjcf_with_joints_in_degrees(tmp_path):
    (tmp_path / "arm.xml").write_text(MJCF)
    chains = [Chain.open(tmp_path / "arm.xml", "tip")]
    rows = np.degrees(np.hstack([PLACES[:, :2], OPENINGS])).astype(np.float32)
    source = measured(tmp_path / "source", ("swing", "nod", "gripper"), rows)
    require_same(adopted(source, tmp_path / "set", chains, angles="degrees", base=BASE), rows, chains)


def test_two_arms_with_a_gripper_of_two_fingers(tmp_path):
    names = [f"{arm}_{name}" for arm in ("left", "right") for name in ("x", "y", "z", "rx", "ry", "rz")]
    rows = np.hstack([PLACES, TURNS.as_rotvec(), -PLACES, TURNS.inv().as_rotvec(), OPENINGS, -OPENINGS])
    source = measured(tmp_path / "source", (*names, "a", "b"), rows.astype(np.float32))
    grippers = parse_map([f"{EE_POSE}.left.gripper={TOOL}[a,b]", f"{EE_POSE}.right.gripper={TOOL}[a]"])
    poses = require_same(adopted(source, tmp_path / "set", names=grippers), rows.astype(np.float32))
    np.testing.assert_allclose(poses[:, 10:13], -PLACES, atol=1e-6)
    np.testing.assert_allclose(poses[:, 9], poses[:, 19], atol=1e-6)  # of the widest reading each


def test_a_recipe_without_arms_says_so_instead_of_giving_no_pose(tmp_path):
    source = measured(tmp_path / "source", ("a", "b"), PLACES[:, :2])
    dataset = adopted(source, tmp_path / "set")
    with pytest.raises(GlamError, match="nobody knows how the poses of the training data were made"):
        LivePose(recipe_in(dataset.provenance))({})


NUMBERS = tuple(("f", number) for number in range(6))
RECIPE = PoseRecipe({"f": ("x", "y", "z", "rx", "ry", "rz")}, (ArmRecipe("arm", NUMBERS, "rotation-vector"),))


@pytest.mark.parametrize("readings", [{}, {"f": np.zeros(5)}, {"f": np.zeros((1, 6))}, {"f": [0, 0, 0, 0, 0, np.nan]}])
def test_what_is_not_read_or_no_number_is_refused(readings):
    with pytest.raises(GlamError, match="the robot's readings: f must be 6 finite numbers: x, y, z, rx, ry, rz"):
        LivePose(RECIPE)(readings)


def test_readings_in_another_unit_are_refused():
    with pytest.raises(GlamError, match="the robot's readings: the position of frame 0 is not within 100 m"):
        LivePose(RECIPE)({"f": [500.0, 0.0, 0.0, 0.0, 0.0, 0.0]})


def test_another_model_than_that_of_the_dataset_is_refused(tmp_path):
    (tmp_path / "crane.urdf").write_text(foreign.URDF)
    chain = Chain.open(tmp_path / "crane.urdf", "tip")
    recipe = PoseRecipe({"f": ("a", "b")}, (ArmRecipe("arm", (("f", 0), ("f", 1)), "joints", chain.digest),))
    assert LivePose(recipe, [chain])({"f": [0.0, 0.0]})[:3] == pytest.approx([0.3, 0.0, 0.3])
    (tmp_path / "crane.urdf").write_text(foreign.URDF.replace('xyz="0.2 0 0"', 'xyz="0.25 0 0"'))
    for others in ([], [Chain.open(tmp_path / "crane.urdf", "tip")]):
        with pytest.raises(GlamError, match=r"give Chain.open\(FILE, 'tip'\) of the file whose sha256 is [0-9a-f]{64}"):
            LivePose(recipe, others)


def test_a_recipe_whose_numbers_do_not_fit_its_rotation_is_refused():
    wrong = PoseRecipe(RECIPE.features, (ArmRecipe("arm", NUMBERS, "quaternion-xyzw"),))
    with pytest.raises(GlamError, match="pose of arm: 6 numbers do not make a position with a quaternion-xyzw"):
        LivePose(wrong)
