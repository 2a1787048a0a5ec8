import multiprocessing
import resource
from multiprocessing.connection import Pipe

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data import layout, tables
from glam.data.decoding import Job, _reports, decode
from glam.data.reader import Dataset
from glam_client.resizing import resize

SIZE = (12, 10)


def job(root, folder, size=SIZE):
    folder.mkdir()
    return Job(Dataset.open(root), size, folder)


def ignore(done, total):
    pass


def test_every_row_of_every_feature_is_what_the_reader_gives_resized(target_set, tmp_path):
    work = job(target_set, tmp_path / "decoded")
    decode(work, 1, ignore)
    dataset = work.dataset
    arrays = {key: np.load(work.file(key)) for key in work.arrays}
    assert arrays.keys() == dataset.schema.features().keys()
    for record in dataset.episodes:
        episode = dataset.episode(record.index)
        rows = slice(record.first_row, record.first_row + record.length)
        for key, values in episode.vectors.items():
            assert np.array_equal(arrays[key][rows], values)
        for key, images in (episode.images | episode.masks).items():
            assert np.array_equal(arrays[key][rows], resize(images, SIZE))
    for key, kind in work.arrays.items():
        assert (arrays[key].shape, arrays[key].dtype) == (kind.shape, kind.dtype)
        assert arrays[key].nbytes == kind.size


def test_images_of_the_stored_size_are_stored_as_they_are(target_set, tmp_path):
    work = job(target_set, tmp_path / "decoded", (16, 16))
    decode(work, 1, ignore)
    key = work.dataset.schema.mask_keys[1]
    assert set(np.unique(np.load(work.file(key)))) == {0, 255}


def test_an_auxiliary_set_has_no_array_for_state_or_action(auxiliary_set, tmp_path):
    work = job(auxiliary_set, tmp_path / "decoded")
    decode(work, 1, ignore)
    names = {path.stem for path in work.folder.iterdir()}
    assert names == set(work.arrays)
    assert "action" not in names
    assert "observation.state" not in names


def test_several_processes_make_the_same_bytes_and_report_every_frame(tiny, target_set, tmp_path):
    alone, together = job(target_set, tmp_path / "alone"), job(target_set, tmp_path / "together")
    decode(alone, 1, ignore)
    reports = []
    decode(together, 2, lambda *report: reports.append(report))
    assert tiny.content(alone.folder) == tiny.content(together.folder)
    assert len(reports) == 5
    assert reports[-1] == (24, 24)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)


def test_progress_is_told_in_frames(target_set, tmp_path):
    reports = []
    decode(job(target_set, tmp_path / "decoded"), 1, lambda *report: reports.append(report))
    assert reports == [(4, 24), (9, 24), (15, 24), (19, 24), (24, 24)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_damaged_video_is_named(target_set, tmp_path, workers):
    damaged = target_set / layout.video_file("observation.images.front", 3)
    damaged.write_bytes(damaged.read_bytes()[:-40])
    with pytest.raises(GlamError, match=f"^{damaged}: damaged"):
        decode(job(target_set, tmp_path / "decoded"), workers, ignore)
    assert not multiprocessing.active_children()


def test_an_interruption_ends_the_processes(target_set, tmp_path):
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decode(job(target_set, tmp_path / "decoded"), 2, interrupt)
    assert not multiprocessing.active_children()


def test_a_process_that_vanishes_is_noticed():
    receiver, sender = Pipe(duplex=False)
    sender.send(7)
    sender.close()
    reports = _reports({receiver})
    assert next(reports) == 7
    with pytest.raises(GlamError, match="was killed"):
        next(reports)


@pytest.mark.parametrize(("wrong", "told"), [(np.nan, "nan"), (-1e30, r"-1e\+30"), (2e8, r"2e\+08")])
@pytest.mark.parametrize("key", ["observation.ee_pose", "observation.state", "action"])
def test_numbers_that_none_can_be_are_refused_with_their_place(target_set, tmp_path, key, wrong, told):
    path = target_set / layout.data_file(2)
    table = pq.read_table(path, use_threads=False)
    values = np.array(table[key].to_pylist(), np.float32)
    values[3, 1] = wrong
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), values.shape[1])
    table = table.set_column(table.column_names.index(key), key, column)
    path.write_bytes(tables.parquet_bytes(table))
    (target_set / layout.MANIFEST).unlink()  # a set that others made: its hashes are unknown
    with pytest.raises(GlamError, match=f"^{path}: episode 2, frame 3: {key} is {told} in entry 1"):
        decode(job(target_set, tmp_path / "decoded"), 1, ignore)


def test_no_room_is_an_error_that_names_the_file(target_set, tmp_path):
    work = job(target_set, tmp_path / "decoded")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(GlamError, match=rf"^{work.folder}/observation\.images\.front\.npy: cannot be written"):
            decode(work, 1, ignore)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
