"""LeRobot v3.0 datasets as others lay them out: many episodes in a file, their own names, rates, units and cameras.

Written with the parts of our own writer; `tests/lerobot_contract` does the same with the real library.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.data.tiny import images

from glam.data import image_codecs, layout, tables
from glam.data.image_codecs import encode_image
from glam.data.schema import INDEX_FEATURES

FPS = 30
LENGTHS = (31, 46, 37)
SIZE = (24, 32)
MOTORS = ("shoulder.pos", "slide.pos", "gripper.pos")
TASK = "Put the cube into the box."

URDF = """<robot name="crane">
  <link name="base"><visual><geometry><mesh filename="package://crane/base.stl"/></geometry></visual></link>
  <link name="upper"><collision><geometry><mesh filename="package://crane/upper.stl"/></geometry></collision></link>
  <link name="fore"/>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="fore"/><origin xyz="0.2 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="wrist" type="fixed">
    <parent link="fore"/><child link="tip"/><origin xyz="0.1 0 0" rpy="3.14159265358979 0 0"/>
  </joint>
</robot>
"""


def joints(episode, length=None, fps=FPS):
    """(T, 3): shoulder in rad, slide in metres, gripper from 0 to 100."""
    time = np.arange(length or LENGTHS[episode]) / fps
    shoulder = 0.6 * np.sin(1.5 * time + 0.4 * episode)
    slide = 0.1 * np.cos(2.0 * time + episode)
    gripper = 50.0 + 50.0 * np.cos(2.5 * time)
    return np.stack([shoulder, slide, gripper], axis=1)


def tip(angles):
    """Where the crane's tip is, (T, 3)."""
    reach = 0.3 + angles[:, 1]
    return np.stack([reach * np.cos(angles[:, 0]), reach * np.sin(angles[:, 0]), np.full(len(angles), 0.3)], axis=1)


def feature(size, names=None, dtype="float32"):
    return {"dtype": dtype, "shape": [size], "names": names}


def camera(size=SIZE, dtype="video", **info):
    names = ["height", "width", "channels"]
    return {"dtype": dtype, "shape": [*size, 3], "names": names} | ({"info": info} if info else {})


def arm(root, **changes):
    """A target set of a crane: joints and motor commands, two cameras, 30 Hz."""
    features = {
        "observation.images.top": camera(),
        "observation.images.wrist": camera((16, 16)),
        "observation.state": feature(3, {"motors": list(MOTORS)}),
        "action": feature(3, list(MOTORS)),
    }
    rows = [{"observation.state": joints(k), "action": np.roll(joints(k), -1, axis=0)} for k in range(len(LENGTHS))]
    return write(root, changes.pop("features", features), changes.pop("rows", rows), **changes)


def glove(root, **changes):
    """An auxiliary set of a hand-held gripper: a pose under LeRobot's own names, one camera of another name, 30 Hz."""
    names = ["ee.x", "ee.y", "ee.z", "ee.wx", "ee.wy", "ee.wz", "ee.gripper_pos"]
    features = {"observation.images.main": camera(), "observation.state": feature(7, names)}
    rows = []
    for k in range(len(LENGTHS)):
        angles = joints(k)
        zeros = np.zeros(len(angles))
        turns = np.stack([np.full(len(angles), np.pi), zeros, zeros], axis=1)
        rows.append({"observation.state": np.concatenate([tip(angles), turns, angles[:, 2:]], axis=1)})
    return write(root, changes.pop("features", features), changes.pop("rows", rows), **changes)


def write(root, features, rows, fps=FPS, robot="crane", tasks=None):
    """A dataset of `features`, with (T, n) of each vector in `rows[episode]`; all episodes lie in one file."""
    root, lengths = Path(root), [len(next(iter(part.values()))) for part in rows]
    tasks = tasks or [TASK] * len(rows)
    ends = np.cumsum(lengths)
    films = {key: kind for key, kind in features.items() if kind["dtype"] == "video"}
    groups = [
        _rows(features, part, index, int(end - len_), fps, sorted(set(tasks)).index(tasks[index]))
        for index, (part, end, len_) in enumerate(zip(rows, ends, lengths, strict=True))
    ]
    _put(root / "data/chunk-000/file-000.parquet", tables.parquet_bytes(*groups))
    for number, (key, kind) in enumerate(films.items()):
        frames = np.concatenate([shown(kind, len_, number, index) for index, len_ in enumerate(lengths)])
        _put(root / f"videos/{key}/chunk-000/file-000.mp4", image_codecs.encode_video(frames, fps))
    _put(root / layout.EPISODES, tables.parquet_bytes(_episodes(films, lengths, ends, fps, tasks)))
    _put(root / layout.TASKS, tables.parquet_bytes(tables.tasks_table(sorted(set(tasks)))))
    automatic = {key: feature(1, dtype=dtype) for key, dtype in INDEX_FEATURES.items()}
    info = {
        "codebase_version": "v3.0",
        "robot_type": robot,
        "total_episodes": len(rows),
        "total_frames": int(ends[-1]),
        "total_tasks": len(set(tasks)),
        "chunks_size": 1000,
        "fps": fps,
        "splits": {"train": f"0:{len(rows)}"},
        "data_path": layout.DATA_TEMPLATE,
        "video_path": layout.VIDEO_TEMPLATE if films else None,
        "features": features | automatic,
    }
    _put(root / layout.INFO, json.dumps(info).encode())
    return root


def shown(kind, length, number, episode):
    """What a camera sees, (T, Y, X, 3)."""
    return images(tuple(kind["shape"][:2]), length, 5 * number + episode)


def _rows(features, part, index, first, fps, task):
    length = len(next(iter(part.values())))
    frame = np.arange(length)
    columns = {key: _column(np.asarray(part[key], np.float32)) for key in part if features[key]["dtype"] == "float32"}
    for number, (key, kind) in enumerate(features.items()):
        if kind["dtype"] == "image":
            cells = [{"bytes": encode_image(p), "path": None} for p in shown(kind, length, number, index)]
            columns[key] = pa.array(cells, tables.IMAGE)
    columns |= {
        "timestamp": pa.array((frame / fps).astype(np.float32)),
        "frame_index": pa.array(frame),
        "episode_index": pa.array(np.full(length, index)),
        "index": pa.array(frame + first),
        "task_index": pa.array(np.full(length, task)),
    }
    return pa.table(columns)


def _column(values):
    flat = pa.array(values.reshape(-1))
    return flat if values.shape[1] == 1 else pa.FixedSizeListArray.from_arrays(flat, values.shape[1])


def _episodes(films, lengths, ends, fps, tasks):
    rows = []
    for index, (length, end) in enumerate(zip(lengths, ends.tolist(), strict=True)):
        row = {"episode_index": index, "tasks": [tasks[index]], "length": length}
        row |= {"data/chunk_index": 0, "data/file_index": 0, "dataset_from_index": end - length}
        row["dataset_to_index"] = end
        for key in films:
            row |= {f"videos/{key}/chunk_index": 0, f"videos/{key}/file_index": 0}
            row |= {f"videos/{key}/from_timestamp": (end - length) / fps, f"videos/{key}/to_timestamp": end / fps}
        rows.append(row)
    return pa.Table.from_pylist(rows)


def _put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
