"""A collection is the same set of bytes whatever the number of workers and however it was interrupted."""

import hashlib
import json
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.recording import acknowledged
from glam.data.schema import EE_POSE
from glam.data.tracks import EE_TRACKS, points_of
from glam.sim.demonstrator import Demonstration, demonstrate
from glam.sim.expert import Disturbance
from glam.sim.sensors import CameraOffset, PointTracker, Tracker
from glam.sim.tasks import find_task
from glam.sim.world import EpisodeFailedError
from glam.stages import collect as stage
from glam.stages.collect import CollectConfig, collect, describe

CONFIG = CollectConfig("lift", "umi", seed=1000, image_size=32)
PROGRAM = """
import sys
from pathlib import Path
from glam.stages.collect import CollectConfig, collect
if __name__ == "__main__":
    collect(CollectConfig("lift", "umi", seed=1000, image_size=32), Path(sys.argv[1]), 5, workers=2)
"""


def digests(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def five(tmp_path_factory) -> Path:
    """Five episodes collected at once by one worker."""
    root = tmp_path_factory.mktemp("five") / "set"
    collect(CONFIG, root, 5, workers=1)
    return root


def test_two_workers_write_the_same_bytes_as_one(five, tmp_path):
    done = collect(CONFIG, tmp_path / "set", 5, workers=2)
    assert (done.episodes, done.new, done.discarded) == (5, 5, 0)
    assert digests(done.root) == digests(five)


def test_extending_a_set_gives_what_collecting_at_once_gives(five, tmp_path):
    collect(CONFIG, tmp_path / "set", 3, workers=1)
    done = collect(CONFIG, tmp_path / "set", 5, workers=1)
    assert (done.episodes, done.new) == (5, 2)
    assert digests(tmp_path / "set") == digests(five)


def test_collecting_again_changes_nothing(five):
    before = digests(five)
    done = collect(CONFIG, five, 5, workers=2)
    assert done.new == 0
    assert digests(five) == before


def test_another_seed_gives_other_episodes(five, tmp_path):
    collect(replace(CONFIG, seed=2000), tmp_path / "set", 1, workers=1)
    name = "data/chunk-000/file-000.parquet"
    assert (tmp_path / "set" / name).read_bytes() != (five / name).read_bytes()


def test_fewer_episodes_than_there_are_is_refused(five):
    with pytest.raises(GlamError, match="--episodes must be at least 5"):
        collect(CONFIG, five, 4)


def test_other_settings_in_the_same_folder_are_refused(five):
    with pytest.raises(GlamError, match="resume with the same settings, or use another folder"):
        collect(replace(CONFIG, disturbance=Disturbance(probability=0.0)), five, 6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"task": "juggle"}, "no task 'juggle'"),
        ({"embodiment": "panda"}, "no embodiment"),
        ({"image_size": 33}, "even"),
        ({"image_size": 0}, "images of 0 x 0 pixels; height and width must be from 2 to 4096"),
        ({"image_size": -4}, "images of -4 x -4 pixels"),
        ({"image_size": 100_000}, "images of 100000 x 100000 pixels"),
    ],
)
def test_what_there_is_not_is_refused_before_anything_is_written(tmp_path, settings, message):
    with pytest.raises(GlamError, match=message):
        collect(replace(CONFIG, **settings), tmp_path / "set", 1)
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(("episodes", "workers"), [(0, 1), (1, 0)])
def test_nothing_to_do_and_nobody_to_do_it_are_refused(tmp_path, episodes, workers):
    with pytest.raises(GlamError, match="must both be at least 1"):
        collect(CONFIG, tmp_path / "set", episodes, workers=workers)


def test_a_negative_seed_is_refused():
    with pytest.raises(GlamError, match="--seed -1"):
        CollectConfig("lift", "umi", seed=-1)


def test_scenes_that_are_kept_for_trials_are_refused(tmp_path):
    with pytest.raises(GlamError, match=r"--seed 39999999 with --episodes 2 .* must be at most 40000000"):
        collect(CollectConfig("lift", "umi", seed=39_999_999), tmp_path / "set", 2)
    assert not (tmp_path / "set").exists()


def test_failed_demonstrations_are_discarded_and_counted(tmp_path, monkeypatch):
    seeds = []

    def clumsy(world, seed: int, disturbance: Disturbance) -> Demonstration:
        seeds.append(seed)
        shown = demonstrate(world, seed, disturbance)
        return replace(shown, is_success=seed >= 1001)

    monkeypatch.setattr(stage, "demonstrate", clumsy)
    done = collect(CONFIG, tmp_path / "set", 2, workers=1)
    assert (done.episodes, done.discarded) == (2, 1)
    assert len(seeds) == 3
    facts = json.loads((tmp_path / "set/meta/glam.json").read_text())["facts"]
    assert [fact["discarded"] for fact in facts] == [1, 0]
    assert facts[0]["seed"] == seeds[1] != 1000
    assert facts[1]["seed"] == 1001


def test_an_episode_that_breaks_is_named_discarded_and_counted(tmp_path, monkeypatch, caplog):
    def broken(world, seed: int, disturbance: Disturbance) -> Demonstration:
        if seed == 1000:
            raise EpisodeFailedError("MuJoCo warning")
        return demonstrate(world, seed, disturbance)

    monkeypatch.setattr(stage, "demonstrate", broken)
    assert collect(CONFIG, tmp_path / "set", 1, workers=1).discarded == 1
    assert "lift by umi, seed 1000: MuJoCo warning" in caplog.text


def test_an_expert_that_always_fails_ends_the_collection_with_a_sentence(tmp_path, monkeypatch):
    def useless(world, seed: int, disturbance: Disturbance) -> Demonstration:
        return Demonstration((), None, is_success=False)

    monkeypatch.setattr(stage, "demonstrate", useless)
    with pytest.raises(GlamError, match="lift by umi: 20 demonstrations failed for episode 0"):
        collect(CONFIG, tmp_path / "set", 1, workers=1)
    assert acknowledged(tmp_path / "set") == frozenset()


def test_progress_starts_at_what_is_there_and_ends_at_the_whole(tmp_path):
    collect(CONFIG, tmp_path / "set", 1, workers=1)
    seen = []
    collect(CONFIG, tmp_path / "set", 3, workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def columns(root: Path) -> set[str]:
    names = set(json.loads((root / "meta/info.json").read_text())["features"])
    for path in root.rglob("*.parquet"):
        names |= set(pq.read_schema(path).names)
    return names


def test_a_hand_held_set_holds_no_action_and_no_state_anywhere(five):
    for name in columns(five) | set(json.loads((five / "meta/stats.json").read_text())):
        assert "action" not in name
        assert "observation.state" not in name
    assert json.loads((five / "meta/glam.json").read_text())["role"] == "auxiliary"


def test_a_robots_set_holds_both(tmp_path):
    collect(replace(CONFIG, embodiment="kinova"), tmp_path / "set", 1, workers=1)
    assert {"action", "observation.state"} <= columns(tmp_path / "set")


def below(pid: int) -> list[int]:
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [grandchild for child in children for grandchild in below(child)]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_killed_collection_leaves_no_orphans_and_ends_as_if_nothing_had_happened(five, tmp_path):
    root, script = tmp_path / "set", tmp_path / "program.py"
    script.write_text(PROGRAM)
    rng = random.Random(0)
    for wanted in (1, 4):
        child = subprocess.Popen([sys.executable, script, root])
        while child.poll() is None and (len(acknowledged(root)) < wanted or not root.exists()):
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.1))
        workers, safe = below(child.pid), acknowledged(root)
        child.kill()
        child.wait()
        end = time.monotonic() + 10  # half a second on a quiet machine
        while any(map(is_running, workers)) and time.monotonic() < end:
            time.sleep(0.05)
        assert not any(map(is_running, workers))
        assert safe <= acknowledged(root)
        assert not (root / "meta/info.json").exists() or len(acknowledged(root)) == 5
    subprocess.run([sys.executable, script, root], check=True)
    assert digests(root) == digests(five)


def test_a_bad_tracker_changes_the_poses_and_nothing_else(tmp_path):
    wrong = replace(CONFIG, tracker=Tracker(position_error_mm=20.0))
    roots = [collect(config, tmp_path / name, 1, workers=1).root for config, name in ((CONFIG, "a"), (wrong, "b"))]
    poses = [Dataset.open(root).vectors(0)[EE_POSE] for root in roots]
    shift = poses[1][:, :3] - poses[0][:, :3]
    assert np.linalg.norm(shift, axis=1) == pytest.approx([0.02] * len(shift), abs=1e-6)
    assert np.ptp(shift, axis=0) == pytest.approx([0.0] * 3, abs=1e-6)
    films = [{path.name: path.read_bytes() for path in root.rglob("*.mp4")} for root in roots]
    assert films[0] == films[1]


def test_a_varied_look_changes_films_alone_whatever_the_workers_and_interruptions(five, tmp_path):
    varied = replace(CONFIG, vary_look=True)
    one = collect(varied, tmp_path / "one", 3, workers=1).root
    two = collect(varied, tmp_path / "two", 1, workers=1).root
    collect(varied, two, 3, workers=2)
    assert digests(one) == digests(two)
    plain = digests(five)
    films = [name for name in digests(one) if name.endswith(".mp4")]
    assert len(films) == 6
    for name, digest in digests(one).items():
        if not name.startswith("meta/"):
            assert (digest != plain[name]) == (name in films), name


def test_a_varied_look_is_part_of_the_provenance_and_may_not_be_switched_on_later(five, tmp_path):
    assert "vary_look" not in describe(CONFIG).config  # sets recorded before there was the option can be extended
    varied = collect(replace(CONFIG, vary_look=True), tmp_path / "set", 1, workers=1).root
    assert Dataset.open(varied).provenance["description"]["config"]["vary_look"] is True
    with pytest.raises(GlamError, match=r"config\.vary_look = true, now .*resume with the same settings"):
        collect(CONFIG, varied, 2)
    with pytest.raises(GlamError, match=r"config\.vary_look = .* now true; resume with the same settings"):
        collect(replace(CONFIG, vary_look=True), five, 6)


def test_a_description_holds_every_setting_and_the_revision_of_the_task(monkeypatch):
    plain = describe(CONFIG)
    assert plain.config["disturbance"]["misses"] == 0.0
    monkeypatch.setattr(type(find_task(CONFIG.task)), "revision", 7)
    assert describe(CONFIG).versions == plain.versions | {"task": "7"}


def test_cameras_may_stand_elsewhere_and_some_may_be_missing(five, tmp_path):
    shared = CameraOffset(10.0, 15.0)
    moved, varied, front = (
        Dataset.open(collect(replace(CONFIG, **changes), tmp_path / name, 2, workers=1).root)
        for name, changes in {
            "moved": {"camera_offset": shared},
            "varied": {"camera_offset": replace(shared, varies=True)},
            "front": {"cameras": ("front",)},
        }.items()
    )
    usual, key = Dataset.open(five), "observation.images.front"
    assert front.schema.cameras == ("front",)
    assert front.schema.mask_keys == ("observation.masks.front",)
    assert (front.vectors(0)[EE_POSE] == usual.vectors(0)[EE_POSE]).all()
    assert (moved.vectors(0)[EE_POSE] == usual.vectors(0)[EE_POSE]).all()
    seen, *others = (one.images(1, key)[0].astype(float) for one in (usual, moved, varied, front))
    changes = [np.abs(image - seen).mean() for image in others]
    assert changes[2] < 1.0 < 3.0 < min(changes[:2])
    assert np.abs(others[0] - others[1]).mean() > 3.0
    assert {"cameras", "camera_offset"}.isdisjoint(describe(CONFIG).config)
    with pytest.raises(GlamError, match="--cameras side: lift has front, overhead"):
        replace(CONFIG, cameras=("side",))


def test_tracks_are_recorded_on_request_in_the_place_of_the_pose(tmp_path):
    config = replace(CONFIG, has_pose=False, has_tracks=True, points=PointTracker(0.5, 0.1))
    collect(config, tmp_path / "set", 2, workers=1)
    dataset = Dataset.open(tmp_path / "set")
    assert set(dataset.schema.vectors) == {EE_TRACKS}
    places, seen = points_of(dataset.vectors(0)[EE_TRACKS])
    assert ((places >= 0.0) & (places <= 1.0)).all()
    assert 0.3 < seen.mean() < 1.0


def test_settings_that_came_later_are_noted_only_where_they_are_used():
    assert not {"has_pose", "has_tracks", "points", "vary_look"} & set(CONFIG.provenance)
    assert set(replace(CONFIG, has_tracks=True).provenance) - set(CONFIG.provenance) == {"has_tracks"}


def test_errors_of_tracks_that_are_not_recorded_are_refused():
    with pytest.raises(GlamError, match="add --tracks"):
        replace(CONFIG, points=PointTracker(1.0))
