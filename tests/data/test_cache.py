import multiprocessing
import shutil
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.core import seals
from glam.core.errors import GlamError
from glam.core.seals import MANIFEST
from glam.data import cache
from glam.data.cache import LISTING, decoded, default_folder
from glam.data.reader import Dataset
from glam.data.windows import Frames, LabelledFrames
from glam_client.resizing import resize

FRONT, MASK = "observation.images.front", "observation.masks.overhead"

BUILDER = """
import hashlib, sys, time
from pathlib import Path
from glam.data.cache import decoded
from glam.data.reader import Dataset

def slowly(done, total):
    time.sleep(0.1)
    print("decoding", flush=True)

_, root, folder = sys.argv
frames = decoded(Dataset.open(Path(root)), 8, Path(folder), progress=slowly)
print(hashlib.sha256(frames.images["observation.images.front"][:].tobytes()).hexdigest())
"""
DYING_BUILDER = BUILDER.replace("time.sleep(0.1)", "done > 10 and __import__('os')._exit(9)")


class Counter:
    """Progress that remembers how often it was called."""

    def __init__(self):
        self.calls = 0

    def __call__(self, done, total):
        self.calls += 1


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def start(program, *arguments):
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


def visible(folder):
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def test_a_target_set_becomes_labelled_frames(target_set, folder):
    dataset = Dataset.open(target_set)
    frames = decoded(dataset, 8, folder)
    assert isinstance(frames, LabelledFrames)
    assert len(frames) == len(dataset) == 24
    assert frames.episodes.starts.tolist() == [0, 4, 9, 15, 19]
    assert frames.episodes.lengths.tolist() == [4, 5, 6, 4, 5]
    assert (frames.schema, frames.content_id) == (dataset.schema, dataset.content_id)
    assert frames.images.keys() == set(dataset.schema.image_keys)
    assert frames.masks.keys() == set(dataset.schema.mask_keys)
    episode = dataset.episode(2)
    assert np.array_equal(frames.images[FRONT][9:15], resize(episode.images[FRONT], (8, 8)))
    assert np.array_equal(frames.masks[MASK][9:15], resize(episode.masks[MASK], (8, 8)))
    assert np.array_equal(frames.ee_pose[9:15], episode.vectors["observation.ee_pose"])
    assert np.array_equal(frames.state[9:15], episode.vectors["observation.state"])
    assert np.array_equal(frames.action[9:15], episode.vectors["action"])


def test_an_auxiliary_set_becomes_frames_without_state_and_action(auxiliary_set, folder):
    frames = decoded(Dataset.open(auxiliary_set), (8, 6), folder)
    assert type(frames) is Frames
    assert frames.images[FRONT].shape == (len(frames), 8, 6, 3)


def test_frames_cannot_be_written_to(target_set, folder):
    frames = decoded(Dataset.open(target_set), 8, folder)
    for array in (frames.images[FRONT][:], frames.masks[MASK][:], frames.ee_pose, frames.state, frames.action):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_set_is_decoded_once_and_then_needs_its_videos_no_more(target_set, folder):
    dataset = Dataset.open(target_set)
    first = decoded(dataset, 8, folder)
    shutil.rmtree(target_set / "videos")
    again = decoded(dataset, 8, folder, progress=(counter := Counter()))
    assert counter.calls == 0
    assert np.array_equal(first.images[FRONT][:], again.images[FRONT][:])


def test_the_cache_knows_a_set_by_its_content_not_by_its_place(tiny, target_set, folder, tmp_path):
    decoded(Dataset.open(target_set), 8, folder)
    moved = Path(shutil.copytree(target_set, tmp_path / "moved"))
    decoded(Dataset.open(moved), 8, folder, progress=(counter := Counter()))
    assert counter.calls == 0
    tiny.record(moved, 6)
    assert len(decoded(Dataset.open(moved), 8, folder)) == 30
    assert len(visible(folder)) == 2


def test_sizes_do_not_share_a_cache(target_set, folder):
    dataset = Dataset.open(target_set)
    shapes = [decoded(dataset, size, folder).images[FRONT].shape[1:3] for size in (8, (8, 4), (4, 8), 8)]
    assert shapes == [(8, 8), (8, 4), (4, 8), (8, 8)]
    assert len(visible(folder)) == 3


def truncate(cached):
    with (cached / f"{FRONT}.npy").open("rb+") as file:
        file.truncate(1000)


def delete_an_array(cached):
    (cached / "action.npy").unlink()


def delete_the_manifest(cached):
    (cached / MANIFEST).unlink()


def cut_the_manifest(cached):
    (cached / MANIFEST).write_text((cached / MANIFEST).read_text()[:50])


def forget_every_file(cached):
    (cached / MANIFEST).write_text("[]")


def name_another_dataset(cached):
    listing = seals.read_json(cached, LISTING) | {"content": "0" * 64}
    seals.write(cached, {LISTING: seals.json_bytes(listing)})


def change_a_checksum(cached):
    path = cached / LISTING
    path.write_text(path.read_text().replace("1", "2", 1))


def change_a_number(cached):
    with (cached / "action.npy").open("rb+") as file:
        file.seek(-8, 2)
        file.write(b"\x01")


def swap_two_joints(cached):
    values = np.load(cached / "observation.state.npy")
    np.save(cached / "observation.state.npy", values[:, [1, 0, 2]])


def overwrite_a_header(cached):
    with (cached / f"{FRONT}.npy").open("rb+") as file:
        file.write(b"rubbish")


def leave_a_header_open(cached):
    path = cached / f"{FRONT}.npy"
    path.write_bytes(path.read_bytes().replace(b"), }", b"    "))  # NumPy reads it as Python


def turn_an_array(cached):
    np.save(cached / "action.npy", np.zeros((3, 24), np.float32))  # the same number of bytes


DAMAGES = [
    truncate,
    delete_an_array,
    delete_the_manifest,
    cut_the_manifest,
    forget_every_file,
    name_another_dataset,
    change_a_checksum,
    change_a_number,
    swap_two_joints,
    overwrite_a_header,
    leave_a_header_open,
    turn_an_array,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_made_again(target_set, folder, damage):
    dataset = Dataset.open(target_set)
    images = np.array(decoded(dataset, 8, folder).images[FRONT])
    (cached,) = visible(folder)
    damage(cached)
    again = decoded(dataset, 8, folder, progress=(counter := Counter()))
    assert counter.calls == 5
    assert np.array_equal(again.images[FRONT], images)
    decoded(dataset, 8, folder, progress=(counter := Counter()))
    assert counter.calls == 0
    assert visible(folder) == [cached]
    assert not list(folder.glob("*.tmp"))
    assert not list(folder.glob(".*.tmp"))


def test_a_damaged_image_is_an_error_when_it_is_read_and_made_again_by_the_next_command(target_set, folder):
    dataset = Dataset.open(target_set)
    images = np.array(decoded(dataset, 8, folder).images[FRONT][:])
    (cached,) = visible(folder)
    with (cached / f"{FRONT}.npy").open("rb+") as file:
        file.seek(-1, 2)
        file.write(b"\x7b")
    frames = decoded(dataset, 8, folder)
    assert frames.images["observation.images.overhead"][3:5].shape == (2, 8, 8, 3)
    with pytest.raises(GlamError, match=r"front\.npy: damaged at row 0; run the same command again"):
        frames.images[FRONT][np.array([[20, 3]])]
    again = decoded(dataset, 8, folder, progress=(counter := Counter()))
    assert counter.calls == 5
    assert np.array_equal(again.images[FRONT][:], images)


def test_two_builders_at_once_decode_once_and_both_get_the_frames(target_set, folder):
    builders = [start(BUILDER, target_set, folder) for _ in range(2)]
    outputs = [builder.communicate()[0].split() for builder in builders]
    assert [builder.returncode for builder in builders] == [0, 0]
    assert sorted(output.count("decoding") for output in outputs) == [0, 5]
    assert outputs[0][-1] == outputs[1][-1]


def test_a_builder_that_dies_leaves_no_cache_and_nothing_in_the_way(target_set, folder):
    dead = start(DYING_BUILDER, target_set, folder)
    dead.communicate()
    assert dead.returncode == 9
    assert visible(folder) == []
    assert list(folder.glob(".*.tmp"))
    decoded(Dataset.open(target_set), 8, folder, progress=(counter := Counter()))
    assert counter.calls == 5
    assert not list(folder.glob(".*.tmp"))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_damaged_dataset_leaves_no_cache(target_set, folder, workers):
    video = next((target_set / "videos").rglob("*.mp4"))
    video.write_bytes(b"no video")
    with pytest.raises(GlamError, match=f"^{video}: damaged"):
        decoded(Dataset.open(target_set), 8, folder, workers=workers)
    assert visible(folder) == []
    assert not list(folder.glob(".*.tmp"))
    assert not multiprocessing.active_children()


def test_a_cache_that_cannot_be_read_back_is_named(target_set, folder, monkeypatch):
    monkeypatch.setattr(cache, "_seal", lambda job: None)
    with pytest.raises(GlamError, match="cannot be read back; check the disk, then run the command again"):
        decoded(Dataset.open(target_set), 8, folder)


def test_a_folder_that_cannot_be_written_is_named(target_set, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(GlamError, match=rf"^{blocked}/\..*: cannot be written .*set GLAM_CACHE"):
        decoded(Dataset.open(target_set), 8, blocked)


def test_a_disk_without_room_is_noticed_before_the_work(target_set, folder, monkeypatch):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr(cache.shutil, "disk_usage", lambda path: usage(3_000))
    with pytest.raises(GlamError, match=f"^{folder}: 0 MB are free, but decoding {target_set} needs 0 MB"):
        decoded(Dataset.open(target_set), 8, folder, progress=(counter := Counter()))
    assert counter.calls == 0


def test_a_set_without_episodes_is_refused(target_set, folder):
    with pytest.raises(GlamError, match=f"^{target_set}: the dataset has no frames"):
        decoded(replace(Dataset.open(target_set), episodes=()), 8, folder)


@pytest.mark.parametrize(("size", "workers"), [(0, 1), ((8, -1), 1), (8, 0)])
def test_sizes_and_workers_below_one_are_refused(target_set, folder, size, workers):
    with pytest.raises(GlamError, match="at least 1"):
        decoded(Dataset.open(target_set), size, folder, workers=workers)


def test_the_folder_is_the_users_choice_or_the_customary_one(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "mine"
    monkeypatch.setenv("GLAM_CACHE", "")
    assert default_folder() == tmp_path / "xdg/glam"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the standard
    assert default_folder() == tmp_path / ".cache/glam"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == tmp_path / ".cache/glam"


def test_without_a_folder_the_default_is_used(target_set, monkeypatch, tmp_path):
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "mine"))
    decoded(Dataset.open(target_set), 8)
    assert len(visible(tmp_path / "mine")) == 1


def test_a_set_without_poses_has_frames_with_none(tiny, tmp_path):
    tiny.record(tmp_path / "set", 2, replace(tiny.AUXILIARY, has_pose=False))
    frames = decoded(Dataset.open(tmp_path / "set"), 8, tmp_path / "cache")
    assert frames.ee_pose.shape == (tiny.length(0) + tiny.length(1), 0)
    assert len(frames) == len(frames.images["observation.images.front"])
