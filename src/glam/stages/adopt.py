"""`glam data adopt`: makes a dataset of ours from any LeRobot dataset, with our names, rates and units."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from glam.core.configs import DISTRIBUTION, to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.cache import default_folder
from glam.data.recording import DatasetDescription
from glam.interop.hub import HUB, HubOrigin, download, is_hub_id, pinned
from glam.interop.imports.checksums import fingerprint
from glam.interop.imports.conversion import MadeSet, Plan, plan, write
from glam.interop.lerobot.adoption import adopt as read
from glam.interop.lerobot.mapping import ImportOptions
from glam_client.pose_conversion import KEY, Kinematics

_SOFTWARE = (DISTRIBUTION, "numpy", "av")


@dataclass(frozen=True)
class AdoptConfig:
    """Settings that shape the dataset."""

    options: ImportOptions = field(default_factory=ImportOptions)
    rate: int | None = None
    """Frames per second; as recorded by default."""
    size: int | None = None
    """Height and width of the images in pixels; as recorded by default."""


@dataclass(frozen=True, eq=False)
class Adoption:
    """Planned adoption; everything but the images has been read and checked."""

    config: AdoptConfig
    source: Path
    out: Path
    chains: Mapping[str, Kinematics]
    made: Plan
    hub: HubOrigin | None = None
    """Where the source was downloaded from."""

    @property
    def result(self) -> MadeSet:
        """Dataset that it will make."""
        return self.made.result(self.out)

    def write(self, progress: Progress = no_progress) -> MadeSet:
        """Make it, or resume an interrupted run."""
        description = _describe(self.config, fingerprint(self.source), self.chains, self.made)
        if self.hub is not None:
            description = replace(description, config=description.config | {HUB: to_json(self.hub)})
        write(self.made, description, self.out, progress)
        return self.result


NO_CHAINS: Mapping[str, Kinematics] = {}


def prepare(
    config: AdoptConfig,
    source: Path,
    out: Path,
    chains: Mapping[str, Kinematics] = NO_CHAINS,
    tell: Callable[[str], None] = lambda _: None,
    hub: HubOrigin | None = None,
) -> Adoption:
    """Read a dataset of others; nothing is written for a bad one.

    `chains` has the model of each arm whose poses are to be found from its joints; the only one is called "". `tell` is
    given the sentences on how the source was understood, also of one that turns out not to fit.
    """
    if not source.is_dir():
        raise GlamError(
            f"{source}: no such folder; give the folder of a LeRobot dataset, or its id on the Hub, user/name"
        )
    if out.resolve().is_relative_to(source.resolve()):
        raise GlamError(f"--out {out} lies inside {source}; choose a folder elsewhere")
    found = read(source, config.options, chains, config.rate)
    for sentence in found.sentences:
        tell(sentence)
    if found.doubt:
        raise GlamError(f"{source}: {found.doubt}")
    return Adoption(config, source, out, chains, plan(found.recording, config.rate, config.size), hub)


def located(source: str, out: Path, revision: str = "") -> tuple[Path, HubOrigin | None]:
    """The folder of a source. One that is an id on the Hub is downloaded; `out` may have begun with a revision."""
    folder = Path(source)
    if folder.exists() or not is_hub_id(source):
        if revision:
            raise GlamError(f"--revision {revision}: {source} is a folder; only datasets on the Hub have revisions")
        return folder, None
    return download(source, revision or pinned(out, source), default_folder())


def _describe(config: AdoptConfig, content: str, chains: Mapping[str, Kinematics], made: Plan) -> DatasetDescription:
    """Provenance; where the source lies is left out, so that the same source gives the same bytes anywhere."""
    models = {arm or "arm": chain.digest for arm, chain in chains.items()}
    origin = {
        "format": "lerobot",
        "source_rate": made.recording.rate,
        "sha256": content,
        "kinematics": models,
        KEY: to_json(made.recording.poses),
    }
    return DatasetDescription(
        task=made.recording.tracks[0].task,
        embodiment=made.recording.robot,
        seed=0,
        config=to_json(config) | origin,
        versions={name: version(name) for name in _SOFTWARE},
    )
