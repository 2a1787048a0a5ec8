"""Tables of poses are read as their columns are named, or refused with what is missing."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.interop.imports.pose_table import read_table
from glam_client.orientations import six_from_quaternions

ROWS = foreign.table(6, 1, labels=True)


def table(tmp_path, rows=None, name="poses.csv"):
    foreign.write_table(tmp_path / name, ROWS if rows is None else rows)
    return tmp_path / name


def six(motion):
    return six_from_quaternions(motion.quaternions)[:, 0]


@pytest.mark.parametrize("name", ["poses.csv", "poses.json"])
def test_both_forms_say_the_same(tmp_path, name):
    found = read_table(table(tmp_path, name=name))
    motion, wanted = found.motion(), foreign.path(6, 1)
    assert motion.times == pytest.approx(np.arange(6) / 20)
    assert np.array_equal(motion.positions[:, 0], wanted.position)
    assert six(motion) == pytest.approx(foreign.expected_pose(wanted)[:, 3:9], abs=1e-9)
    assert np.array_equal(motion.openings[:, 0], wanted.opening)
    assert np.array_equal(motion.state, foreign.joints(6, 1))
    assert np.array_equal(motion.action, foreign.actions(6, 1))
    assert (found.arms, found.named("action.")) == (("",), tuple(f"j{number}" for number in range(7)))


def turned(names, values):
    """The table with its rotation told otherwise."""
    rows = [{key: value for key, value in row.items() if not key.startswith("q")} for row in ROWS]
    return [row | dict(zip(names, map(float, value), strict=True)) for row, value in zip(rows, values, strict=True)]


def test_rotations_may_be_vectors_or_columns_of_the_matrix(tmp_path):
    wanted = foreign.expected_pose(foreign.path(6, 1))[:, 3:9]
    rotation = foreign.path(6, 1).rotation
    vectors = turned(("rx", "ry", "rz"), rotation.as_rotvec())
    columns = turned(("r11", "r21", "r31", "r12", "r22", "r32"), wanted)
    for rows in (vectors, columns):
        assert six(read_table(table(tmp_path, rows)).motion()) == pytest.approx(wanted, abs=1e-9)
    assert isinstance(rotation, Rotation)


def test_names_with_a_prefix_are_those_of_several_arms(tmp_path):
    pose = [{key: value for key, value in row.items() if "." not in key and key != "timestamp"} for row in ROWS]
    rows = [
        {"timestamp": row["timestamp"]}
        | {f"{arm}.{key}": value for arm in ("left", "right") for key, value in p.items()}
        for row, p in zip(ROWS, pose, strict=True)
    ]
    found = read_table(table(tmp_path, rows))
    assert found.arms == ("left", "right")
    assert found.motion().positions.shape == (6, 2, 3)
    assert found.motion().action.shape == (6, 0)


def without(*names):
    return [{key: value for key, value in row.items() if key not in names} for row in ROWS]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (without("gripper"), "has no column gripper"),
        (without("timestamp"), "has no column timestamp"),
        (without("x", "y"), "has no column x, y"),
        (without("qw"), "has no column qw"),
        (without("qx", "qy", "qz", "qw"), "needs columns for one rotation"),
        ([row | {"rx": 0.0} for row in ROWS], "needs columns for one rotation"),
        ([row | {"confidence": 1.0} for row in ROWS], "the column 'confidence' is unknown"),
        ([row | {"qw": 3.0} for row in ROWS], "no unit quaternion"),
        ([row | {"x": 900.0} for row in ROWS], "is it in metres"),
        ([*ROWS[:3], ROWS[3] | {"z": "nan"}], r"row 4: z is 'nan'"),
        ([ROWS[0] | {"z": ""}], r"row 1: z is ''"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, rows, message):
    with pytest.raises(GlamError, match=rf"poses\.csv: .*{message}"):
        read_table(table(tmp_path, rows)).motion()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("poses.csv", b"", "has no rows"),
        ("poses.csv", b"x,y\n", "has no rows"),
        ("poses.csv", b"x,y\n1,2\n3", "row 2 has 1 cells instead of 2"),
        ("poses.csv", b"x,y\n1,2\n3\n", "row 2 has 1 cells instead of 2"),
        ("poses.csv", b"x,x\n1,2\n", "two columns have the same name"),
        ("poses.csv", b"\xff\xfe\x00\n", "not a sound table"),
        ("poses.csv", b'x\n"1\n', "not a sound table"),
        ("poses.json", b"{", "not a sound table"),
        ("poses.json", b"{}", "a list of objects"),
        ("poses.json", b"[" * 100_000, "not a sound table"),
        ("poses.json", b'[{"x": 1}, {"y": 1}]', "row 2 has other columns"),
        ("poses.json", b'[{"x": true}]', "x is 'True'"),
        ("poses.json", b'[{"x": [1]}]', "must be a finite number"),
        ("poses.json", b'[{"x": 1' + b"0" * 5000 + b"}]", "not a sound table|must be a finite number"),
        ("poses.json", b"[]", "has no rows"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(GlamError, match=message):
        read_table(tmp_path / name)


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path):
    file = tmp_path / "poses.csv"
    file.write_text("x,y\n1,2\n", encoding="utf-8-sig")
    assert list(read_table(file).columns) == ["x", "y"]
    (tmp_path / "poses.json").write_text(json.dumps([{"x": 1, "y": 2}]))
    assert list(read_table(tmp_path / "poses.json").columns) == ["x", "y"]


def test_a_table_needs_no_line_break_at_its_end(tmp_path):
    (tmp_path / "poses.csv").write_bytes(b"x,y\n1,2\n3,4.5")
    assert read_table(tmp_path / "poses.csv").columns["y"].tolist() == [2.0, 4.5]
