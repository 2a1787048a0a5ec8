"""The film of the README, from the smallest demo there is."""

import json

import pytest
from PIL import Image

import film
from film import DemoRuns, PolicyRuns, main, policy_part
from film_drawing import TILE
from glam.bench.demo import WORLD_MODEL, DemoConfig
from glam.bench.run import RunStore
from glam.bench.running import local_engine, run_all
from glam.sim.rollouts import roll_out

EPISODES = [{"seed": 50_000_000 + number, "success": number == 1} for number in range(3)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """What a film shows of a demo, which has learnt nothing: the replay, and the policy on latent actions."""
    root = tmp_path_factory.mktemp("demo")
    config = DemoConfig("lift", labelled=2, unlabelled=2, trials=2, preset="smoke")
    shown = [config.evaluations[WORLD_MODEL], *(run for run in config.runs if run.kind == "replay")]
    run_all(shown, RunStore(root), local_engine(1), lambda state: None)
    return root


def rollouts(policy):
    """What the policy does, successful or not."""
    world = film.World(film.find_task(policy.task), film.find_embodiment("kinova"))
    acting = film.trained.load(policy.folder)
    for episode in policy.episodes:
        yield from roll_out([world], [episode["seed"]], acting.act, film.ActionChunking(), film.guard)


def test_a_demo_becomes_a_film_of_a_replay_and_of_the_policy(demo, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(film, "successes", rollouts)
    main(tmp_path / "film.webp", [demo])
    assert "film.webp" in capsys.readouterr().out
    with Image.open(tmp_path / "film.webp") as played:
        assert played.n_frames > 40
        assert played.width > TILE[1]


def test_the_rate_of_all_scenes_and_the_amount_of_data_are_written_beside_the_successes(tmp_path, monkeypatch):
    policy = PolicyRuns("lift", tmp_path, {}, (31, 301), EPISODES)
    monkeypatch.setattr(film, "policy_films", lambda policy, count: [["frame"]] * count)
    part = policy_part([policy, policy], columns=2)
    assert part.title.endswith("31 labelled and 301 hand-held demonstrations")
    assert "1 of 3 (lift)" in part.rows[0][0]
    assert [len(tiles) for _, tiles in part.rows] == [2, 2]


def test_a_demo_without_a_replay_is_named(tmp_path):
    with pytest.raises(SystemExit, match="glam demo --out"):
        DemoRuns.open(tmp_path)


def test_a_demo_that_was_stopped_after_the_replay_has_no_policy(tmp_path):
    (tmp_path / "replay/one").mkdir(parents=True)
    (tmp_path / "replay/one/replay.json").write_text(json.dumps({"config": {"task": "lift"}}))
    runs = DemoRuns.open(tmp_path)
    assert runs.task == "lift"
    assert runs.evaluations == ()
