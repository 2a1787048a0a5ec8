"""`glam data convert`: recordings of other projects as LeRobot datasets."""

from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from glam.core.configs import DISTRIBUTION, to_json
from glam.core.errors import GlamError
from glam.core.files import require_writable
from glam.core.workers import Progress, no_progress
from glam.data.recording import DatasetDescription
from glam.interop.imports.checksums import fingerprint
from glam.interop.imports.conversion import MadeSet, Plan, plan, write
from glam.interop.imports.delta_actions import ActionKind, with_action_kind
from glam.interop.imports.formats import AUTO, find_importer
from glam.interop.imports.reader_client import ReaderClient
from glam.interop.imports.recordings import Hints, Recording
from glam_client.pose_conversion import KEY

_SOFTWARE = (DISTRIBUTION, "numpy", "av", "h5py", "imagecodecs")


@dataclass(frozen=True)
class ConvertConfig:
    """Settings that shape the dataset."""

    format: str = AUTO
    """One of `FORMATS`, or `AUTO` to find out."""
    rate: int | None = None
    """Frames per second; as recorded by default."""
    size: int | None = None
    """Height and width of the images in pixels; as recorded by default."""
    hints: Hints = field(default_factory=Hints)
    actions: ActionKind = "auto"
    """What actions are: robomimic's files say so themselves, and in other formats they are absolute by default."""
    role: Literal["auto", "target", "auxiliary"] = "auto"
    """auxiliary drops actions and state; auto makes a target set where there are actions."""
    action_names: tuple[str, ...] = ()
    """Names of the entries of an action; those of the source, or numbers, by default."""


def convert(config: ConvertConfig, source: Path, out: Path, progress: Progress = no_progress) -> MadeSet:
    """Make a dataset of a recording; resumes an interrupted run. Nothing is written for a bad source."""
    name, importer = find_importer(config.format, source)
    if out.resolve().is_relative_to(source.resolve()):
        raise GlamError(f"--out {out} lies inside {source}; choose a folder elsewhere")
    require_writable(out)
    content = fingerprint(source)
    with ReaderClient() as reader:
        recording = _named(importer.read(reader, source, config.hints), config.action_names)
        recording = _in_role(with_action_kind(recording, config.actions), config.role)
        made = plan(recording, config.rate, config.size)
        description = _describe(config, name, content, made)
        write(made, description, out, progress)
    return made.result(out)


def _named(recording: Recording, names: tuple[str, ...]) -> Recording:
    """The recording with other names of action entries."""
    if not names:
        return recording
    if len(names) != len(recording.action_names) or len(set(names)) < len(names) or not all(names):
        count = len(recording.action_names)
        raise GlamError(
            f"--action-names: {recording.source} has {count} numbers in an action; give as many, all different"
        )
    return replace(recording, action_names=names)


def _in_role(recording: Recording, role: str) -> Recording:
    """The recording as a target or an auxiliary one."""
    if role == "target" and not recording.action_names:
        raise GlamError(f"--role target: {recording.source} has no actions, so it can only be an auxiliary set")
    if role != "auxiliary":
        return recording
    return replace(recording, state_names=(), action_names=(), delta_actions=(), is_bound_to_rate=False)


def _describe(config: ConvertConfig, name: str, content: str, made: Plan) -> DatasetDescription:
    """Provenance; where the source lies is left out, so that the same source gives the same bytes anywhere."""
    recording = made.recording
    origin = {"format": name, "source_rate": recording.rate, "sha256": content, KEY: to_json(recording.poses)}
    return DatasetDescription(
        task=made.recording.tracks[0].task,
        embodiment=made.recording.robot,
        seed=0,
        config=to_json(config) | origin,
        versions=dict(_versions()),
    )


def _versions() -> list[tuple[str, str]]:
    found = []
    for name in _SOFTWARE:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue  # an optional one that this source does without
    return found
