"""The folder of an evaluation, read back: records, settings, lineage of the policy, and films."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.configs import from_json
from glam.core.errors import GlamError
from glam.evaluation.eval_info import EVAL_INFO
from glam.evaluation.lineage import Lineage
from glam.evaluation.records import RECORDS, RolloutRecord, read_records
from glam_client.action_chunking import ActionChunking

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
    """Of the configurations."""
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
    config, info = _object(root / CONFIG), _object(root / EVAL_INFO)
    try:
        settings, overall = config["evaluate"], info["overall"]
        return Evaluation(
            root=root,
            records=records,
            first_seed=int(settings["first_seed"]),
            chunking=ActionChunking(int(settings["n_action_steps"]), float(settings["temporal_ensemble_weight"])),
            lineage=_lineage(config, records, root),
            films=tuple(_films(root, records, overall["video_paths"])),
            sha256=files.sha256(root / RECORDS),
            seconds=float(overall["eval_s"]),
            command=tuple(config.get("command", ())),
            versions=config.get("versions", {}),
            machine=config.get("machine", {}),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise GlamError(
            f"{root}: {CONFIG} or {EVAL_INFO} is not that of an evaluation ({error!r}); evaluate again"
        ) from None


def _object(path: Path) -> dict[str, Any]:
    value = files.read_json(path)
    if not isinstance(value, dict):
        raise GlamError(f"{path}: not a JSON object; evaluate again")
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
    """Films that are still there, with their episodes."""
    known = {f"{FILMS}/{film_name(record)}": record for record in records}
    paths = [(name, root / name) for name in names if name in known]
    return [FilmedEpisode(known[name], path) for name, path in paths if path.is_file()]
