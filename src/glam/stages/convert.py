"""`glam data convert`: recordings of other projects as LeRobot datasets."""

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from glam.core.configs import DISTRIBUTION, to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.recording import DatasetDescription
from glam.interop.imports.checksums import fingerprint
from glam.interop.imports.conversion import MadeSet, Plan, plan, write
from glam.interop.imports.delta_actions import ActionKind, with_action_kind
from glam.interop.imports.formats import AUTO, find_importer
from glam.interop.imports.reader_client import ReaderClient
from glam.interop.imports.recordings import Hints

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


def convert(config: ConvertConfig, source: Path, out: Path, progress: Progress = no_progress) -> MadeSet:
    """Make a dataset of a recording; resumes an interrupted run. Nothing is written for a bad source."""
    name, importer = find_importer(config.format, source)
    if out.resolve().is_relative_to(source.resolve()):
        raise GlamError(f"--out {out} lies inside {source}; choose a folder elsewhere")
    content = fingerprint(source)
    with ReaderClient() as reader:
        recording = with_action_kind(importer.read(reader, source, config.hints), config.actions)
        made = plan(recording, config.rate, config.size)
        description = _describe(config, name, content, made)
        write(made, description, out, progress)
    return made.result(out)


def _describe(config: ConvertConfig, name: str, content: str, made: Plan) -> DatasetDescription:
    """Provenance; where the source lies is left out, so that the same source gives the same bytes anywhere."""
    return DatasetDescription(
        task=made.recording.tracks[0].task,
        embodiment=made.recording.robot,
        seed=0,
        config=to_json(config) | {"format": name, "source_rate": made.recording.rate, "sha256": content},
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
