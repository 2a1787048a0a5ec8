"""Folders of videos and poses are read episode by episode, or refused with what is missing where."""

import shutil

import numpy as np
import pytest
from tests.data.tiny import images
from tests.interop.imports import foreign, references

from glam.core.errors import GlamError
from glam.data import image_codecs
from glam.interop.imports import video_folder
from glam.interop.imports.conversion import plan
from glam.interop.imports.recordings import FrameSequence, Hints


def read(reader, folder, **hints):
    return video_folder.read(reader, folder, Hints(**hints))


@pytest.fixture
def folder(tmp_path):
    return foreign.video_folder(tmp_path / "recordings")


def test_everything_is_as_numpy_and_ffmpeg_read_it(reader, folder):
    made = plan(read(reader, folder), None, None)
    episodes = [references.of_episode(made.episode(index)) for index in range(3)]
    assert references.equal(episodes, references.video_folder(folder), 1e-6)
    assert (made.schema.role, made.schema.fps, made.schema.cameras) == ("auxiliary", 20, ("front", "wrist"))
    assert made.recording.tracks[1].name == "episode_1"


def test_columns_of_state_and_action_make_a_target_set(reader, tmp_path):
    folder = foreign.video_folder(tmp_path / "robot", table_name="poses.json", labels=True)
    made = plan(read(reader, folder), None, None)
    assert made.schema.action_names == tuple(f"j{number}" for number in range(7))
    assert made.episode(1).vectors["action"] == pytest.approx(foreign.actions(9, 1), abs=1e-6)
    assert made.episode(1).vectors["observation.state"] == pytest.approx(foreign.joints(9, 1), abs=1e-6)


def test_poses_of_another_clock_are_taken_at_the_times_of_the_frames(reader, folder):
    rows = []
    for k in range(-40, 80):  # at 77 Hz, from before the film to after it
        rows.append(foreign.table(2, 0)[0] | {"timestamp": k / 77, "x": k / 77})
    foreign.write_table(folder / "episode_1/poses.csv", rows)
    pose = plan(read(reader, folder), None, None).episode(1).vectors["observation.ee_pose"]
    assert pose[:, 0] == pytest.approx(np.arange(9) / 20, abs=1e-6)


def test_the_rate_of_a_film_survives_times_in_milliseconds():
    times = (np.arange(100) / 30).round(3)
    assert video_folder._rate({"front": FrameSequence("front.mkv", times, (2, 2), None)}) == pytest.approx(
        30.0, rel=1e-3
    )


def test_numbers_in_names_count(reader, tmp_path):
    folder = foreign.video_folder(tmp_path / "many", (4,) * 11, cameras=("front",))
    assert [track.name for track in read(reader, folder).tracks][-2:] == ["episode_9", "episode_10"]


def test_the_task_is_that_of_the_user_the_episode_or_the_folder(reader, folder):
    (folder / "episode_1/task.txt").write_text("Drop it.")
    assert [track.task for track in read(reader, folder).tracks] == ["Lift the cube.", "Drop it.", "Lift the cube."]
    assert {track.task for track in read(reader, folder, task="Push.").tracks} == {"Push."}
    for file in folder.rglob("task.txt"):
        file.unlink()
    assert {track.task for track in read(reader, folder).tracks} == {"recordings"}


def test_a_range_turns_readings_into_openings(reader, folder):
    for index, frames in enumerate(foreign.LENGTHS):
        rows = [row | {"gripper": 200.0 - 100.0 * row["gripper"]} for row in foreign.table(frames, index)]
        foreign.write_table(folder / f"episode_{index}/poses.csv", rows)
    with pytest.raises(GlamError, match=r"row 1: gripper is .* not 0 to 1; say with --gripper"):
        read(reader, folder)
    openings = read(reader, folder, gripper=(200.0, 100.0)).tracks[0].motion.openings[:, 0]
    assert openings == pytest.approx(foreign.path(7, 0).opening)


def film(frames, fps=20, size=foreign.SIZE):
    return image_codecs.encode_video(images(size, frames, 0), fps)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda root: [shutil.rmtree(path) for path in root.glob("e*")], "recordings: has no sub-folder"),
        (lambda root: (root / "episode_1/poses.csv").unlink(), "episode_1: has 0 tables of poses"),
        (lambda root: (root / "episode_1/poses.json").write_text("[]"), "episode_1: has 2 tables of poses"),
        (lambda root: [path.unlink() for path in root.glob("episode_1/*.mp4")], "episode_1: has no video"),
        (lambda root: (root / "episode_1/wrist.mp4").unlink(), "episode_1: has cameras front, but"),
        (lambda root: shutil.copy(root / "episode_1/wrist.mp4", root / "episode_1/wrist.mkv"), "two videos"),
        (lambda root: (root / "episode_1/wrist.mp4").write_bytes(b"x" * 99), r"wrist\.mp4: is not a sound video"),
        (lambda root: (root / "episode_1/wrist.mp4").write_bytes(film(60)), r"episode_1: poses: nothing between"),
        (lambda root: (root / "episode_1/front.mp4").write_bytes(film(9, size=(8, 8))), "different sizes.*--size"),
        (lambda root: (root / "task.txt").write_text(" "), r"task\.txt: must hold one sentence"),
        (lambda root: (root / "task.txt").write_bytes(b"Lift \xff."), r"task\.txt: must hold one sentence"),
        (lambda root: (root / "notes").mkdir(), "notes: has no video"),
        (
            lambda root: foreign.write_table(root / "episode_1/poses.csv", foreign.table(9, 1, labels=True)),
            "episode_1/poses.csv: has other columns",
        ),
    ],
)
def test_what_is_wrong_is_named(reader, folder, change, message):
    change(folder)
    with pytest.raises(GlamError, match=message):
        plan(read(reader, folder), None, None)


def test_a_state_without_actions_is_refused(reader, folder):
    for index, frames in enumerate(foreign.LENGTHS):
        rows = foreign.table(frames, index, labels=True)
        rows = [{key: value for key, value in row.items() if not key.startswith("action")} for row in rows]
        foreign.write_table(folder / f"episode_{index}/poses.csv", rows)
    with pytest.raises(GlamError, match=r"state\.\* but no action"):
        read(reader, folder)
