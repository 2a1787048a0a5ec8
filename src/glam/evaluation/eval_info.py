"""The summary of an evaluation under the keys of LeRobot's `eval_info.json`, so that its tools read ours."""

from collections.abc import Sequence
from typing import Any

from glam.core.errors import GlamError
from glam.evaluation.records import RolloutRecord
from glam.statistics.intervals import wilson

EVAL_INFO = "eval_info.json"


def eval_info(records: Sequence[RolloutRecord], seconds: float, films: Sequence[str] = ()) -> dict[str, Any]:
    """The records of one task, the time they took, and films of some of them, as a JSON value.

    Reward is 1 at the moment of success, which ends the episode: its sum and its maximum are equal.
    """
    tasks = sorted({record.task for record in records})
    if len(tasks) != 1:
        raise GlamError(f"eval_info describes the episodes of one task; got {len(tasks)}: {', '.join(tasks)}")
    time = {"eval_s": seconds, "eval_ep_s": seconds / len(records)}
    rates, paths = _rates(records), {"video_paths": list(films)}
    return {
        "per_episode": [_episode(index, record) for index, record in enumerate(records)],
        "per_task": [{"task_group": tasks[0], "task_id": 0, "metrics": _lists(records) | paths, **rates}],
        "per_group": {tasks[0]: rates | paths},
        "aggregated": rates | time,
        "overall": rates | time | paths,
    }


def _episode(index: int, record: RolloutRecord) -> dict[str, Any]:
    reward = float(record.is_success)
    return {
        "episode_ix": index,
        "seed": record.test_seed,
        "sum_reward": reward,
        "max_reward": reward,
        "success": record.is_success,
        "steps": record.steps,
        "failed_stage": record.failed_stage,
    }


def _rates(records: Sequence[RolloutRecord]) -> dict[str, Any]:
    successes = sum(record.is_success for record in records)
    rate = wilson(successes, len(records))
    return {
        "avg_sum_reward": rate.estimate,
        "avg_max_reward": rate.estimate,
        "pc_success": 100 * rate.estimate,
        "pc_success_ci95": [100 * rate.low, 100 * rate.high],
        "n_episodes": len(records),
        "n_success": successes,
    }


def _lists(records: Sequence[RolloutRecord]) -> dict[str, Any]:
    successes = [record.is_success for record in records]
    rewards = [float(is_success) for is_success in successes]
    return {"sum_rewards": rewards, "max_rewards": rewards, "successes": successes}
