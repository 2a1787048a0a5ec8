"""A copy with masks is the source plus masks, the same bytes however often it was interrupted."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout, tables
from glam.data.check import check_dataset
from glam.data.masked_set import MaskedSet
from glam.data.reader import Dataset
from glam.data.tables import read_parquet

THEIRS = Path(__file__).with_name("fixtures") / "lerobot_written"
NOTED = {"model": {"model": "painted"}, "prompts": []}


def masks_of(dataset, index, objects):
    """Two-valued noise, different in every episode, frame and object."""
    shape = (dataset.episodes[index].length, *dataset.schema.image_size, len(objects))
    keys = [f"observation.masks.{camera}" for camera in dataset.schema.cameras]
    noise = np.random.default_rng(index)
    return {key: np.where(noise.random(shape) < 0.3, 255, 0).astype(np.uint8) for key in keys}


def masked(source, out, objects=("cup", "plate", "spoon"), notes=NOTED):
    return MaskedSet.of(Dataset.open(source), out, objects, notes)


def finish(copy):
    with copy.making():
        for index in copy.missing():
            copy.save(index, masks_of(copy.source, index, copy.schema.objects))
        copy.publish()
    return copy.root


@pytest.mark.parametrize("name", ["target_set", "auxiliary_set", "theirs"])
def test_the_copy_reads_back_the_masks_and_all_else_is_that_of_the_source(name, request, tmp_path):
    source = THEIRS if name == "theirs" else request.getfixturevalue(name)
    there = Dataset.open(source)
    here = Dataset.open(finish(masked(source, tmp_path / "out")))
    assert here.schema.objects == ("cup", "plate", "spoon")
    assert [record.task for record in here.episodes] == [record.task for record in there.episodes]
    for index in range(len(there.episodes)):
        for key, wanted in masks_of(there, index, here.schema.objects).items():
            np.testing.assert_array_equal(here.masks(index, key), wanted)
        for key, rows in there.vectors(index).items():
            np.testing.assert_array_equal(here.vectors(index)[key], rows)
        for key in there.schema.image_keys:
            np.testing.assert_array_equal(here.images(index, key), there.images(index, key))


@pytest.mark.parametrize("name", ["target_set", "auxiliary_set", "theirs"])
def test_a_check_finds_no_more_than_in_the_source(name, request, tmp_path):
    source = THEIRS if name == "theirs" else request.getfixturevalue(name)
    found = check_dataset(finish(masked(source, tmp_path / "out")))
    assert found == tuple(finding for finding in check_dataset(source) if not finding.code.startswith("mask-"))


def test_the_source_is_not_touched(target_set, tmp_path, tiny):
    before = tiny.content(target_set)
    out = finish(masked(target_set, tmp_path / "out"))
    assert tiny.content(target_set) == before
    shutil.rmtree(out)
    assert tiny.content(target_set) == before


def test_videos_are_the_same_files(target_set, tmp_path):
    out = finish(masked(target_set, tmp_path / "out"))
    videos = [path.relative_to(target_set) for path in target_set.rglob("*.mp4")]
    assert len(videos) == 10
    assert all((out / name).samefile(target_set / name) for name in videos)


def test_videos_are_copied_where_links_are_not_possible(target_set, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError("cross-device link")

    monkeypatch.setattr("glam.data.masked_copy.os.link", refuse)
    out = finish(masked(target_set, tmp_path / "out"))
    for path in target_set.rglob("*.mp4"):
        copied = out / path.relative_to(target_set)
        assert not copied.samefile(path)
        assert copied.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("stop", [0, 1, 3, "publishing"])
def test_an_interrupted_copy_goes_on_and_ends_as_if_nothing_had_happened(target_set, tmp_path, tiny, monkeypatch, stop):
    whole = finish(masked(target_set, tmp_path / "whole"))
    copy = masked(target_set, tmp_path / "out")

    def interrupt(done, total):
        if done == total // 2:
            raise KeyboardInterrupt

    with copy.making():
        for index in copy.missing()[: None if stop == "publishing" else stop]:
            copy.save(index, masks_of(copy.source, index, copy.schema.objects))
        if stop == "publishing":
            with pytest.raises(KeyboardInterrupt):
                copy.publish(interrupt)
    for folder in ("meta", "data/chunk-000"):
        (copy.root / folder).mkdir(parents=True, exist_ok=True)
        (copy.root / folder / ".left.1.glam.tmp").write_bytes(b"half")
    assert not copy.is_published
    assert len(copy.missing()) == (0 if stop == "publishing" else 5 - stop)
    assert tiny.content(finish(masked(target_set, tmp_path / "out"))) == tiny.content(whole)


def test_making_it_again_changes_nothing(target_set, tmp_path, tiny):
    out = finish(masked(target_set, tmp_path / "out"))
    before = tiny.content(out)
    finish(masked(target_set, tmp_path / "out"))
    assert tiny.content(out) == before


def test_statistics_of_the_masks_are_those_of_the_masks(target_set, tmp_path):
    out = finish(masked(target_set, tmp_path / "out"))
    dataset, key = Dataset.open(out), "observation.masks.front"
    counts = [tables.histogram(dataset.masks(index, key)) for index in range(5)]
    stats = json.loads((out / layout.STATS).read_text())
    assert stats[key] == tables.of_histogram(np.sum(counts, axis=0), 256)
    row = read_parquet(out / layout.EPISODES).to_pylist()[2]
    own = tables.of_histogram(counts[2], 256)
    assert {name: row[f"stats/{key}/{name}"] for name in own} == own
    lines = dataset.provenance["histograms"][key]
    assert [[int(number) for number in line.split()] for line in lines] == np.sum(counts, axis=0).tolist()


def test_the_features_are_described_in_the_order_of_recorded_sets(auxiliary_set, tmp_path):
    out = finish(masked(auxiliary_set, tmp_path / "out", ("red", "green")))
    here, there = (json.loads((root / layout.INFO).read_text()) for root in (out, auxiliary_set))
    assert list(here["features"]) == list(there["features"])
    assert here == there


def test_the_manifest_says_what_the_masks_come_from(target_set, tmp_path):
    source, copy = Dataset.open(target_set), Dataset.open(finish(masked(target_set, tmp_path / "out")))
    noted = copy.provenance["description"]["masks"]
    assert noted["source"] == source.content_id
    assert {name: noted[name] for name in NOTED} == NOTED
    assert noted["frames"]["observation.masks.front"][0] == [4, 4, 4]
    assert copy.content_id != source.content_id


def test_objects_that_no_frame_shows_are_told(target_set, tmp_path):
    copy = masked(target_set, tmp_path / "out")
    with copy.making():
        for index in copy.missing():
            masks = masks_of(copy.source, index, copy.schema.objects)
            if index == 3:
                masks["observation.masks.overhead"][..., 1] = 0
            copy.save(index, masks)
        copy.publish()
    assert copy.hidden_objects() == [(3, "overhead", "plate")]


def test_other_settings_in_the_same_folder_are_refused(target_set, tmp_path):
    finish(masked(target_set, tmp_path / "out"))
    for objects, notes, what in (
        (("cup",), NOTED, "objects"),
        (("cup", "plate", "spoon"), NOTED | {"model": {"model": "other"}}, "model"),
    ):
        with pytest.raises(GlamError, match=f"begun here with another {what}; resume with the same one"):
            finish(masked(target_set, tmp_path / "out", objects, notes))


def test_notes_that_are_none_are_refused(target_set, tmp_path):
    finish(masked(target_set, tmp_path / "out"))
    (tmp_path / "out/meta/masks.json").write_text("[]")
    with pytest.raises(GlamError, match=r"masks\.json: damaged; choose another folder"):
        finish(masked(target_set, tmp_path / "out"))


def test_a_folder_that_holds_something_else_is_refused(target_set, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.tex").write_text("important")
    with pytest.raises(GlamError, match=r"holds thesis.tex, which glam data masks did not make"):
        finish(masked(target_set, tmp_path / "out"))
    (tmp_path / "file").write_text("important")
    with pytest.raises(GlamError, match="a file; choose a folder"):
        finish(masked(target_set, tmp_path / "file"))


def test_a_copy_inside_its_source_or_around_it_is_refused(target_set):
    for out in (target_set / "masks", target_set, target_set.parent):
        with pytest.raises(GlamError, match=r"--out .* lies inside .*, or holds it"):
            masked(target_set, out)


def test_two_at_once_are_refused(target_set, tmp_path):
    copy = masked(target_set, tmp_path / "out")
    with copy.making(), pytest.raises(GlamError, match="masks are being made here already"):
        finish(copy)


def test_damaged_masks_that_wait_and_a_damaged_source_are_told(target_set, tmp_path):
    copy = masked(target_set, tmp_path / "out")
    with copy.making():
        for index in copy.missing():
            copy.save(index, masks_of(copy.source, index, copy.schema.objects))
        shutil.copy(copy.root / MaskedSet.folder_aside() / "episode-000001.parquet", tmp_path / "other.parquet")
        shutil.copy(tmp_path / "other.parquet", copy.root / MaskedSet.folder_aside() / "episode-000000.parquet")
        with pytest.raises(GlamError, match=r"episode-000000.parquet: not the masks of this episode; delete it"):
            copy.publish()
    video = next(target_set.rglob("*.mp4"))
    video.write_bytes(video.read_bytes()[:-1])
    with pytest.raises(GlamError, match="damaged"):
        finish(masked(target_set, tmp_path / "again"))
    assert not (tmp_path / "again" / layout.INFO).exists()


def test_another_count_in_the_notes_of_masks_that_wait_is_damage(target_set, tmp_path):
    copy = masked(target_set, tmp_path / "out")
    with copy.making():
        for index in copy.missing():
            copy.save(index, masks_of(copy.source, index, copy.schema.objects))
        path = copy.root / MaskedSet.folder_aside() / "episode-000000.parquet"
        table = read_parquet(path)
        frames = {
            key: [count + 1 for count in counts] for key, counts in json.loads(table.schema.metadata[b"frames"]).items()
        }
        changed = table.replace_schema_metadata({**table.schema.metadata, b"frames": json.dumps(frames).encode()})
        path.write_bytes(tables.parquet_bytes(changed))
        with pytest.raises(GlamError, match=r"episode-000000.parquet: damaged; delete it"):
            copy.publish()


def test_notes_are_listed_so_that_a_change_shows(target_set, tmp_path):
    out = finish(masked(target_set, tmp_path / "out"))
    assert files.sha256(out / MaskedSet.notes_file()) == Dataset.open(out).provenance["files"][MaskedSet.notes_file()]
    assert not (out / MaskedSet.folder_aside()).exists()
