"""`glam data quality`, and trainings that leave out what it lists."""

import json
from pathlib import Path

import pytest
from tests.data import tiny
from tests.data.quality.demonstrations import SCHEMA, film, poses
from tests.typed import Glam

from glam.data.reader import Dataset
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import EE_POSE, Episode


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven sound episodes, and one in which the tracker is lost."""
    made = tmp_path_factory.mktemp("quality") / "hand"
    with recording(made, SCHEMA, tiny.DESCRIPTION):
        for number in range(8):
            hand = poses(number, 110 + 2 * number)
            images = film(hand)
            if number == 5:
                hand[20:36, :9] = hand[20, :9]
            episode = Episode({EE_POSE: hand}, {"observation.images.front": images}, {}, "Lift it.")
            save_episode(made, SCHEMA, number, episode, {})
        publish(made, SCHEMA, tiny.DESCRIPTION, 8)
    return made


def test_a_lost_tracker_is_listed_shown_and_left_out(glam: Glam, root: Path, tmp_path: Path) -> None:
    said = glam("data", "quality", root, "--out", tmp_path / "skip.json", "--page", tmp_path / "q.html", "--workers", 1)
    assert said.code == 0
    assert any(line.startswith("leave out  episode 5: the pose of arm stands still for 0.8 s") for line in said.lines)
    assert f"{root}: 8 episodes: 7 sound, 0 look, 1 leave out" in said.lines
    (entry,) = json.loads((tmp_path / "skip.json").read_text())["datasets"]
    assert list(entry["leave_out"]) == ["5"]
    page = (tmp_path / "q.html").read_text()
    assert "Episode 5: leave out" in page
    assert page.count("<img") == 8


def test_two_datasets_of_one_name_get_no_pages(glam: Glam, root: Path, tmp_path: Path) -> None:
    said = glam("data", "quality", root, root, "--page", tmp_path / "pages")
    assert said.code == 2
    assert "two datasets have the same name" in said.error


def test_a_training_leaves_listed_episodes_out_and_says_so(glam: Glam, place: Path, tmp_path: Path) -> None:
    listed = tmp_path / "skip.json"
    target = Dataset.open(place / "target")
    listed.write_text(
        json.dumps({"format": 1, "datasets": [{"content": target.content_id, "leave_out": {"1": "it jumps"}}]})
    )
    words = ("train-policy", "mip", "--target", place / "target", "--preset", "smoke", "--skip-episodes", listed)
    said = glam(*words, "--out", place / "policy")
    assert said.code == 0, said.error
    inputs = json.loads((place / "policy" / "config.json").read_text())["inputs"]
    assert inputs == {"target": target.content_id, f"skipped in {target.content_id}": "1"}
    again = glam(*words[:-2], "--out", place / "policy")
    assert again.code == 2


def test_relabelling_leaves_listed_episodes_without_labels(glam: Glam, place: Path, tmp_path: Path) -> None:
    aux, listed = Dataset.open(place / "aux"), tmp_path / "skip.json"
    listed.write_text(json.dumps({"format": 1, "datasets": [{"content": aux.content_id, "leave_out": {"0": ""}}]}))
    words = ("relabel", "--world-model", place / "run", "--data", place / "aux", "--skip-episodes", listed)
    assert glam(*words).code == 0
    said = glam(*words, "--as-lerobot", tmp_path / "copy")
    assert "give the trainer those to use" in said.error
    words = ("train-policy", "latent", "--world-model", place / "run", "--target", place / "target")
    words = (*words, "--aux", place / "aux", "--preset", "smoke", "--out", place / "latent")
    said = glam(*words)
    assert "has no latents of episode 0; give the same --skip-episodes" in said.error
