"""The folder of an evaluation: records, their summary, settings, lineage of the policy, and films, under one seal.

Every number is computed from the records, one JSON object per episode and line. The summary has the keys of LeRobot's
`eval_info.json`, so that its tools read ours.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glam.core import files, seals
from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.core.simulated import Split
from glam.evaluation.lineage import Lineage
from glam.evaluation.motion import Smoothness
from glam.evaluation.statistics import wilson
from glam_client.action_chunking import ActionChunking

RECORDS = "episodes.jsonl"
FORMAT = 2
_NO_DOCUMENTS: Mapping[str, Mapping[str, Any]] = {}

STAGES = ("reach", "grasp", "place", "release")
"""Usual milestones of a task, in their order; a task may name others."""


@dataclass(frozen=True)
class RolloutRecord:
    """One rollout of one policy from one scene."""

    task: str
    method: str
    """Such as `glam-o`."""
    embodiment: str
    training_seed: int
    split: Split
    """Split of the scene: `validation`, by which settings may be chosen, or `test`."""
    test_seed: int
    """Of the scene; equal seeds are equal scenes."""
    is_success: bool
    steps: int
    failed_stage: str
    """The first milestone of the task that was not achieved; `none` exactly in a success."""
    failure: str
    """What went wrong, for a reader; empty exactly in a success."""
    smoothness: tuple[Smoothness, ...]
    """Of each hand that moved."""
    doubts: tuple[float, ...] = ()
    """How far the observation for each action chunk was from the training data; empty where it is not known."""

    def __post_init__(self) -> None:
        """Refuse a record that contradicts itself."""
        if not (self.task and self.method and self.embodiment and self.failed_stage):
            raise GlamError("an episode record needs a task, a method, an embodiment and a failed_stage")
        if min(self.training_seed, self.test_seed, self.steps) < 0:
            raise GlamError(f"episode {self.test_seed}: seeds and steps cannot be negative")
        if self.is_success != (self.failed_stage == "none") or self.is_success != (self.failure == ""):
            raise GlamError(
                f"episode {self.test_seed}: a success has failed_stage 'none' and no failure text, a failure has both; "
                f"got is_success={self.is_success}, {self.failed_stage!r}, {self.failure!r}"
            )


def write_evaluation(
    folder: Path,
    records: Sequence[RolloutRecord],
    documents: Mapping[str, Mapping[str, Any]] = _NO_DOCUMENTS,
    also: Sequence[str] = (),
) -> None:
    """Write the records and JSON documents of a complete evaluation; seal them with files that are there already."""
    _refuse_repetition(records, folder / RECORDS)
    lines = [json.dumps({"format": FORMAT} | _to_json(record), allow_nan=False) + "\n" for record in records]
    contents = {name: seals.json_bytes(document) for name, document in documents.items()}
    seals.write(folder, {RECORDS: "".join(lines).encode(), **contents}, also=also)


def _to_json(record: RolloutRecord) -> dict[str, Any]:
    """A record as JSON; doubts that are not known are left out, as in those of earlier versions."""
    value: dict[str, Any] = to_json(record)
    return value if record.doubts else {name: item for name, item in value.items() if name != "doubts"}


def read_records(folder: Path) -> tuple[RolloutRecord, ...]:
    """The records of a complete evaluation, as they were sealed."""
    if not is_evaluation(folder):
        raise GlamError(f"{folder / RECORDS}: no such file; give the folder of an evaluation")
    if not seals.is_sealed(folder):
        raise GlamError(f"{folder}: the evaluation has not finished; repeat the command that started it")
    return parse_records(seals.read(folder, RECORDS), folder / RECORDS)


def parse_records(content: bytes, path: Path) -> tuple[RolloutRecord, ...]:
    """The records in the content of a file; a damaged or contradictory one is an error that names its line."""
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise GlamError(f"{path}: not text ({error}); evaluate again") from None
    records = tuple(_read_line(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1))
    _refuse_repetition(records, path)
    return records


def _read_line(line: str, where: str) -> RolloutRecord:
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise GlamError(f"{where}: not valid JSON ({error}); evaluate again") from None
    if not isinstance(value, dict) or value.pop("format", "none") != FORMAT:
        raise GlamError(f"{where}: not an episode record of format {FORMAT}; evaluate again")
    try:
        return from_json(RolloutRecord, value)
    except GlamError as error:
        raise GlamError(f"{where}: {error}") from None


def _refuse_constant(name: str) -> Any:
    """Python reads NaN and Infinity, which JSON does not know."""
    raise ValueError(f"{name} is no JSON number")


def _refuse_repetition(records: Sequence[RolloutRecord], path: Path) -> None:
    """An episode counted twice would narrow every interval."""
    if not records:
        raise GlamError(f"{path}: no episodes; an evaluation has at least one")
    seen = set()
    for record in records:
        key = (record.task, record.method, record.embodiment, record.training_seed, record.test_seed)
        if key in seen:
            raise GlamError(f"{path}: episode {record.test_seed} of {record.method} is there twice")
        seen.add(key)


EVAL_INFO = "eval_info.json"


def eval_info(records: Sequence[RolloutRecord], seconds: float, films: Sequence[str] = ()) -> dict[str, Any]:
    """The records of one task, the time they took, and films of some of them, as a JSON value.

    Reward is 1 at the moment of success, which ends the episode: its sum and its maximum are equal.
    """
    tasks = sorted({record.task for record in records})
    if len(tasks) != 1:
        raise GlamError(f"eval_info describes the episodes of one task; got {len(tasks)}: {', '.join(tasks)}")
    time = {"eval_s": seconds, "eval_ep_s": seconds / len(records)}
    rates, paths = _scenes(records) | _rates(records), {"video_paths": list(films)}
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


def _scenes(records: Sequence[RolloutRecord]) -> dict[str, Any]:
    """Which scenes these are; LeRobot has no such keys."""
    return {"split": records[0].split, "first_seed": min(record.test_seed for record in records)}


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


CONFIG = "config.json"
FILMS, SUCCESS = "films", "success"


@dataclass(frozen=True)
class FilmedEpisode:
    """An episode and the file that shows it."""

    record: RolloutRecord
    path: Path


@dataclass(frozen=True)
class Evaluation:
    """Rollouts of one policy on one task."""

    root: Path
    records: tuple[RolloutRecord, ...]
    first_seed: int
    """Of the scenes."""
    chunking: ActionChunking
    """Execution of action chunks."""
    lineage: Lineage
    films: tuple[FilmedEpisode, ...]
    sha256: str
    """Of the records."""
    seconds: float
    command: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)


def film_name(record: RolloutRecord) -> str:
    """File name with seed and outcome."""
    return f"{record.test_seed}-{SUCCESS if record.is_success else f'failed-{record.failed_stage}'}.mp4"


def is_evaluation(folder: Path) -> bool:
    """Tell whether `folder` was made by `glam evaluate`."""
    return (folder / RECORDS).is_file()


def read_evaluation(root: Path) -> Evaluation:
    """Read a folder made by `glam evaluate`; anything damaged is an error that names the file."""
    records = read_records(root)
    config, info = _object(root, CONFIG), _object(root, EVAL_INFO)
    try:
        settings, overall = config["evaluate"], info["overall"]
        return Evaluation(
            root=root,
            records=records,
            first_seed=records[0].test_seed,
            chunking=ActionChunking(int(settings["n_action_steps"]), float(settings["temporal_ensemble_weight"])),
            lineage=_lineage(config, records, root),
            films=tuple(_films(root, records, overall["video_paths"])),
            sha256=seals.digests(root)[RECORDS],
            seconds=float(overall["eval_s"]),
            command=tuple(config.get("command", ())),
            versions=config.get("versions", {}),
            machine=config.get("machine", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise GlamError(
            f"{root}: {CONFIG} or {EVAL_INFO} is not that of an evaluation ({error!r}); evaluate again"
        ) from None


def _object(root: Path, name: str) -> dict[str, Any]:
    value = seals.read_json(root, name)
    if not isinstance(value, dict):
        raise GlamError(f"{root}/{name}: not a JSON object; evaluate again")
    return value


def _lineage(config: Mapping[str, Any], records: tuple[RolloutRecord, ...], root: Path) -> Lineage:
    """The recorded lineage; of an old evaluation without one, as much as is known."""
    if "lineage" not in config:
        return Lineage(records[0].method, records[0].training_seed, str(config["policy"]), str(config["policy"]), {})
    try:
        return from_json(Lineage, config["lineage"])
    except GlamError as error:
        raise GlamError(f"{root / CONFIG}: {error}; evaluate again") from None


def _films(root: Path, records: tuple[RolloutRecord, ...], names: list[str]) -> list[FilmedEpisode]:
    """Films that are still there, as they were sealed, with their episodes."""
    known = {f"{FILMS}/{film_name(record)}": record for record in records}
    paths = {name: files.contained(root, name) for name in names if name in known}
    found = {name: path for name, path in paths.items() if path.is_file()}
    for name in found:
        seals.read(root, name)
    return [FilmedEpisode(known[name], path) for name, path in found.items()]
