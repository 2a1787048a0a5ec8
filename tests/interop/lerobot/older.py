"""Datasets of LeRobot v2.1, made of v3.0 ones: a data file and a video for each episode."""

import json

import numpy as np
import pyarrow.parquet as pq

from glam.data import layout
from glam.data.image_codecs import encode_video
from glam.interop.lerobot.source import LeRobotSource


def as_older(root, new, version="v2.1", chunks_size=1000):
    source = LeRobotSource.open(root)
    films = [key for key, image in source.features.images.items() if image.dtype == "video"]
    data = pq.ParquetFile(root / "data/chunk-000/file-000.parquet")
    records = source.episodes(films)
    for record in records:
        chunk = record.index // chunks_size
        path = new / f"data/chunk-{chunk:03d}/episode_{record.index:06d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(data.read_row_group(record.index), path)
        for key in films:
            path = new / f"videos/chunk-{chunk:03d}/{key}/episode_{record.index:06d}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            frames = np.concatenate(list(source.frames(record, key).pieces(0, record.length)))
            path.write_bytes(encode_video(frames, source.info.fps))
    tasks = sorted({record.task for record in records})
    lines(new / "meta/tasks.jsonl", [{"task_index": number, "task": task} for number, task in enumerate(tasks)])
    episodes = [{"episode_index": one.index, "tasks": [one.task], "length": one.length} for one in records]
    lines(new / "meta/episodes.jsonl", episodes)
    info = json.loads((root / layout.INFO).read_text()) | {
        "codebase_version": version,
        "chunks_size": chunks_size,
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
    }
    (new / layout.INFO).write_text(json.dumps(info))
    return new


def lines(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
