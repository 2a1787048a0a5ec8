"""The film of a set without poses, from the smallest runs there are."""

import sys

import pytest
from PIL import Image

import film
import pose_free_film
from film_drawing import TILE
from glam.sim.rollouts import roll_out


def rollouts(policy):
    """What the policy does, successful or not."""
    world = film.World(film.find_task(policy.task), film.find_embodiment("kinova"))
    acting = film.trained.load(policy.folder)
    for episode in policy.episodes:
        rollout = roll_out([world], [episode["seed"]], acting.act, film.ActionChunking(), film.guard)[0]
        yield from (rollout, rollout)


def test_clicks_become_a_policy_and_a_film(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(film, "successes", rollouts)
    monkeypatch.setattr(pose_free_film, "TASK", "lift")
    sizes = ["--labelled", "2", "--others", "3", "--trials", "1", "--preset", "smoke"]
    monkeypatch.setattr(sys, "argv", ["pose_free_film.py", str(tmp_path / "film.webp"), str(tmp_path / "runs"), *sizes])
    pose_free_film.main()
    assert "film.webp" in capsys.readouterr().out
    with Image.open(tmp_path / "film.webp") as played:
        assert played.n_frames > pose_free_film.STILL
        assert played.width > TILE[1]


def test_help_tells_what_it_does(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["pose_free_film.py", "--help"])
    with pytest.raises(SystemExit):
        pose_free_film.main()
    assert "two clicks in each view" in capsys.readouterr().out
