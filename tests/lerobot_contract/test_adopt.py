"""Datasets that the real library wrote about a robot we do not know become ours, and it reads what they became."""

import importlib.util
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lerobot.datasets.lerobot_dataset import LeRobotDataset

from glam.data.check import check_dataset
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE
from glam.interop.lerobot.mapping import ImportOptions, parse_map
from glam.stages.adopt import AdoptConfig, prepare

SPEC = importlib.util.spec_from_file_location("write_foreign", Path(__file__).with_name("write_foreign.py"))
source = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(source)
foreign = source.foreign
TASKS = pa.schema({"task_index": pa.int64(), "task": pa.string()})
STORED = Path(__file__).parents[1] / "interop/lerobot/fixtures"
NAMES = parse_map(["observation.images.front=observation.images.main"])


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    root = tmp_path_factory.mktemp("room")
    source.write(root)
    return root


def without_codec(info):
    """What a set says of itself but for how its videos were encoded, which newer versions tell in more detail."""
    common = {"height", "width", "codec", "pix_fmt", "fps", "channels"}
    features = {
        key: feature | {"info": {name: value for name, value in feature.get("info", {}).items() if name[6:] in common}}
        for key, feature in info["features"].items()
    }
    return info | {"features": features}


@pytest.mark.parametrize("name", ["my-robot", "gripper-videos"])
def test_the_stored_sets_are_what_the_library_writes(room, name):
    written, stored = (json.loads((root / name / "meta/info.json").read_text()) for root in (room, STORED))
    assert [without_codec(info) for info in (written, stored)] == [without_codec(stored)] * 2
    if version("lerobot") == "0.4.4":
        assert written == stored
    for path in (room / name).rglob("*.parquet"):
        there, here = (pq.read_table(file) for file in (STORED / path.relative_to(room), path))
        if path.name == "tasks.parquet":  # before 0.6 the texts had the name that pandas gives what has none
            there, here = (table.rename_columns(["task_index", "task"]).cast(TASKS) for table in (there, here))
        imaged = [key for key in here.column_names if key.startswith("stats/observation.images")]
        # As numbers: since 0.6 the statistics of whole numbers are stored in double precision.
        assert here.drop_columns(imaged).to_pydict() == there.drop_columns(imaged).to_pydict()
    for path in (room / name).rglob("*.mp4"):
        assert (STORED / path.relative_to(room)).is_file()


def test_a_set_of_the_real_library_becomes_ours_and_the_library_reads_it(room, tmp_path):
    out = (
        prepare(AdoptConfig(ImportOptions(NAMES), rate=10, size=64), room / "gripper-videos", tmp_path / "set")
        .write()
        .root
    )
    assert check_dataset(out) == ()
    theirs, ours = LeRobotDataset("glam/adopted", root=out), Dataset.open(out)
    assert theirs.fps == ours.schema.fps == 10
    assert len(theirs) == len(ours) == 16 + 23 + 19
    row = 0
    for index in range(3):
        angles = foreign.joints(index, fps=source.SLOWER)[::2]
        vectors = ours.vectors(index)[EE_POSE]
        np.testing.assert_allclose(vectors[:, :3], foreign.tip(angles), atol=1e-5)
        np.testing.assert_allclose(vectors[:, 9], angles[:, 2] / 100.0, atol=1e-5)
        np.testing.assert_array_equal(np.stack([theirs[row + k][EE_POSE] for k in range(len(angles))]), vectors)
        row += len(angles)


def test_the_library_reads_a_set_that_says_what_its_actions_are(room, tmp_path):
    options = ImportOptions(actions="delta")
    out = prepare(AdoptConfig(options, size=64), room / "my-robot", tmp_path / "set").write().root
    theirs = LeRobotDataset("glam/adopted", root=out)
    assert theirs.features[ACTION]["info"] == {"delta_actions": list(foreign.MOTORS[:2])}
    np.testing.assert_array_equal(theirs[3][ACTION], Dataset.open(out).vectors(0)[ACTION][3])


def test_frames_are_those_of_their_moment(room, tmp_path):
    out = prepare(AdoptConfig(ImportOptions(NAMES), rate=10), room / "gripper-videos", tmp_path / "set").write().root
    shown = source.hand(1)["observation.images.main"]
    found = Dataset.open(out).images(1, "observation.images.front")
    distance = np.abs(shown[None].astype(float) - found[:, None]).mean((2, 3, 4))
    frames = np.arange(1, len(found) - 1)
    right, before, after = (distance[frames, 2 * frames + shift] for shift in (0, -1, 1))
    assert (right < np.minimum(before, after)).mean() > 0.8  # what moves slowest looks the same in two frames
