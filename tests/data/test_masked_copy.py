"""File by file: what is the source's, what is new, and what other libraries are told of it."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import layout
from glam.data.masked_copy import EpisodeMasks, MaskedCopy, share
from glam.data.masked_set import MaskedSet
from glam.data.reader import Dataset

THEIRS = Path(__file__).with_name("fixtures") / "lerobot_written"


def copied(source, out):
    masked = MaskedSet.of(Dataset.open(source), out, ("cup",), {})
    with masked.making():
        for index in masked.missing():
            shape = (masked.source.episodes[index].length, *masked.schema.image_size, 1)
            masked.save(index, {key: np.zeros(shape, np.uint8) for key in masked.schema.mask_keys})
        masked.publish()
    return out


def test_a_set_of_other_software_keeps_its_row_groups_and_gets_a_manifest(tmp_path):
    out = copied(THEIRS, tmp_path / "out")
    (path,) = THEIRS.glob("data/*/*.parquet")
    here, there = pq.ParquetFile(out / path.relative_to(THEIRS)), pq.ParquetFile(path)
    assert here.num_row_groups == there.num_row_groups > 1
    assert Dataset.open(out).provenance["role"] == Dataset.open(THEIRS).schema.role


def test_the_datasets_library_is_told_of_the_masks_and_of_no_old_ones(target_set, tmp_path):
    out = copied(target_set, tmp_path / "out")
    told = json.loads(pq.read_schema(out / layout.data_file(0)).metadata[b"huggingface"])["info"]["features"]
    assert told["observation.masks.front"] == {"_type": "Image"}
    assert set(told) == set(pq.read_schema(out / layout.data_file(0)).names)


def test_notes_of_the_recorder_stay_behind(target_set, tmp_path):
    out = copied(target_set, tmp_path / "out")
    assert (target_set / layout.RECORDING).is_file()
    assert not (out / layout.RECORDING).exists()


def test_a_row_that_belongs_to_no_episode_is_told(target_set, tmp_path):
    dataset = Dataset.open(target_set)
    masked = MaskedSet.of(dataset, tmp_path / "out", ("cup",), {})
    none = EpisodeMasks({key: [] for key in masked.schema.mask_keys}, {}, {})
    copy = MaskedCopy(dataset, tmp_path / "out", masked.schema, (none,))
    with pytest.raises(GlamError, match=r"file-000.parquet: has rows that belong to no episode"):
        copy.content(layout.data_file(0))


def test_sharing_replaces_what_an_earlier_try_left(tmp_path):
    (tmp_path / "source").write_bytes(b"all of it")
    (tmp_path / "target").write_bytes(b"half")
    share(tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target").samefile(tmp_path / "source")
