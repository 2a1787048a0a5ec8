import json
from dataclasses import replace

import pytest
from tests.evaluation.episodes import run

from glam.core.errors import GlamError
from glam.evaluation.evaluations import eval_info


def test_the_keys_and_numbers_are_those_of_lerobot() -> None:
    """9 of 10: LeRobot's own test expects an interval of 59.58 to 98.21 percent."""
    info = eval_info(run([True] * 9 + [False]), seconds=20.0, films=["films/100009.mp4"])
    overall = info["overall"]
    assert overall["pc_success"] == pytest.approx(90.0)
    assert overall["pc_success_ci95"] == pytest.approx([59.58, 98.21], abs=0.01)
    assert (overall["n_episodes"], overall["n_success"]) == (10, 9)
    assert overall["avg_sum_reward"] == overall["avg_max_reward"] == pytest.approx(0.9)
    assert (overall["eval_s"], overall["eval_ep_s"]) == (20.0, 2.0)
    assert overall["video_paths"] == ["films/100009.mp4"]
    assert info["aggregated"].items() <= overall.items()
    assert info["per_group"]["stack-two"].items() <= overall.items()
    assert info["per_task"][0]["metrics"]["successes"] == [True] * 9 + [False]


def test_each_episode_has_its_seed_and_reward() -> None:
    rows = eval_info(run([True, False], start=7), seconds=1.0)["per_episode"]
    assert [row["seed"] for row in rows] == [7, 8]
    assert [row["episode_ix"] for row in rows] == [0, 1]
    assert [(row["sum_reward"], row["max_reward"], row["success"]) for row in rows] == [
        (1.0, 1.0, True),
        (0.0, 0.0, False),
    ]
    assert rows[1]["failed_stage"] == "place"


def test_it_is_plain_json_without_nan() -> None:
    info = eval_info(run([False] * 3), seconds=1.0)
    assert json.loads(json.dumps(info, allow_nan=False)) == info


def test_episodes_of_two_tasks_or_of_none_are_refused() -> None:
    with pytest.raises(GlamError, match="one task; got 2: lift, stack-two"):
        eval_info([*run([True]), *(replace(record, task="lift") for record in run([True]))], seconds=1.0)
    with pytest.raises(GlamError, match="got 0"):
        eval_info([], seconds=1.0)
