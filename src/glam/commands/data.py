"""`glam data check`, `view`, `convert` and `align`; the other commands have files of their own."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from glam.commands.console import bar, say
from glam.commands.data_adopt import Adopt
from glam.commands.data_masks import Masks
from glam.commands.data_quality import DataQuality
from glam.commands.data_tracks import Tracks
from glam.core.errors import GlamError
from glam.interop.imports.formats import AUTO, FORMATS

if TYPE_CHECKING:
    FormatName = str
else:  # the choices come from the registry, which no type checker knows
    FormatName = Literal[(AUTO, *FORMATS)]
_FORMATS = "Format of SRC. " + "; ".join(f"{name}: {entry.summary}" for name, entry in FORMATS.items()) + "."

Folder = Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")]


@dataclass(frozen=True)
class Check:
    """Check a dataset, or whether several datasets can be trained on together.

    Each finding names file, episode and frame, and what to do; exit code 1 on errors. With --target and --aux, cameras,
    images, rates, poses and grippers of the datasets are compared; exit code 2 if they do not fit together. For a
    dataset with actions, the delay from command to motion is measured too.
    """

    root: Annotated[Path | None, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")] = None
    """Folder of a LeRobot v3.0 dataset."""
    target: Path | None = None
    """Dataset with actions and robot state, to be compared with --aux."""
    aux: tuple[Path, ...] = ()
    """Datasets without labels, one or more."""
    page: Path | None = None
    """With --target and --aux: also write a page with the first images of all datasets side by side, as HTML."""

    def run(self) -> int:
        """Check and print every finding."""
        if self.root is not None and self.target is None and not self.aux:
            if self.page is not None:
                raise GlamError("--page: shows datasets side by side, given as --target and --aux; see also data view")
            return _faults(self.root)
        if self.root is None and self.target is not None and self.aux:
            return _match(self.target, self.aux, self.page)
        raise GlamError("give either the folder DIR of one dataset, or --target and at least one --aux")


def _faults(root: Path) -> int:
    from glam.data.check import check_dataset, has_errors, lines

    with bar(f"checking {root}") as progress:
        findings = check_dataset(root, progress)
    for line in lines(findings):
        say(line)
    if not has_errors(findings):
        _say_delay(root)
    return int(has_errors(findings))


def _say_delay(target: Path) -> None:
    """Print the delay from command to motion of a set with actions."""
    from glam.data.command_delay import measure_delay
    from glam.data.reader import Dataset

    dataset = Dataset.open(target)
    if dataset.schema.role == "target":
        delay = measure_delay(dataset)
        say(
            delay.sentence
            if delay
            else "delay: not measured, since no joint of the state follows an entry of the action"
        )


def _match(target: Path, auxiliary: tuple[Path, ...], page: Path | None) -> int:
    from glam.data.matching import can_work, compare, lines

    with bar("comparing datasets") as progress:
        comparison = compare([target, *auxiliary], progress)
    _say_delay(target)
    for line in lines(comparison):
        say(line)
    if page is not None:
        from glam.reports.comparison_page import write_comparison

        write_comparison(comparison, page)
        say(str(page))
    return 0 if can_work(comparison) else 2


@dataclass(frozen=True)
class DataView:
    """Make a page about a dataset: videos with masks, end-effector path and gripper curves. One file, no network."""

    root: Folder
    """Folder of a LeRobot v3.0 dataset."""
    out: Path | None = None
    """The page; by default DIR.html beside the folder."""
    episodes: tuple[int, ...] = ()
    """Numbers of the episodes to show; by default eight, spread evenly."""

    def run(self) -> int:
        """Write the page and print its path."""
        from glam.core.files import require_writable
        from glam.data.reader import Dataset
        from glam.reports.data_view import spread, write_data_view

        dataset = Dataset.open(self.root)
        out = self.out or self.root.resolve().with_suffix(".html")
        require_writable(out)
        write_data_view(dataset, out, self.episodes or spread(dataset, 8))
        say(str(out))
        return 0


@dataclass(frozen=True)
class Convert:
    """Make a dataset from a recording in another format. The same command resumes an interrupted run."""

    source: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="SRC")]
    """Recording in another format."""
    out: Path
    """Folder of the dataset."""
    format: Annotated[FormatName, tyro.conf.arg(help=_FORMATS)] = AUTO
    rate: int | None = None
    """New frame rate in Hz: poses are interpolated, images are the nearest in time. As recorded by default."""
    size: int | None = None
    """Height and width of images in pixels. As recorded by default."""
    task: str = ""
    """Instruction: what is done, as a sentence; by default as in SRC."""
    source_rate: float | None = None
    """Samples per second of SRC, if the file does not say."""
    gripper: tuple[float, float] | None = None
    """Readings of a closed and of an open gripper; by default 0 and the largest reading."""
    role: Literal["auto", "target", "auxiliary"] = "auto"
    """auxiliary drops actions and state; auto makes a target set if there are actions."""
    action_names: tuple[str, ...] = ()
    """Names of the numbers in an action, if SRC has none; they also say which one is the gripper's in delta actions."""
    actions: Literal["auto", "absolute", "delta"] = "auto"
    """Absolute actions say where to be, delta actions by how much to move. auto: as a robomimic file says, in other
    formats absolute."""

    def run(self) -> int:
        """Convert and say what was made."""
        from glam.interop.imports.recordings import Hints
        from glam.stages.convert import ConvertConfig, convert

        hints = Hints(self.source_rate, self.gripper, self.task)
        config = ConvertConfig(self.format, self.rate, self.size, hints, self.actions, self.role, self.action_names)
        with bar(f"converting {self.source}") as progress:
            made = convert(config, self.source, self.out, progress)
        say(made.sentence)
        say(str(made.root))
        return 0


@dataclass(frozen=True)
class Align:
    """Copy a dataset with its poses in the frame of a target dataset. The frame is found from carried objects.

    For poses in a frame of their own, as from SLAM, with an error in each episode, of another tool point, or with a
    gripper in other units. Both sets need masks of the same objects and cameras in the same places. glam data check
    --target --aux says what is wrong and whether this is needed.
    """

    root: Folder
    """Folder of the dataset to align."""
    target: Path
    """Dataset whose poses are right."""
    out: Path
    """New folder of the copy."""

    def run(self) -> int:
        """Align, and print what was found."""
        from glam.stages.align import align, sentence

        with bar(f"aligning {self.root}") as progress:
            found = align(self.root, self.target, self.out, progress)
        say(sentence(found))
        say(str(self.out))
        return 0


@dataclass(frozen=True)
class Data:
    """Check, view, convert, adopt, segment, align or track a dataset, or judge its episodes."""

    command: (
        Annotated[Check, tyro.conf.subcommand("check")]
        | Annotated[DataView, tyro.conf.subcommand("view")]
        | Annotated[Convert, tyro.conf.subcommand("convert")]
        | Annotated[Adopt, tyro.conf.subcommand("adopt")]
        | Annotated[Masks, tyro.conf.subcommand("masks")]
        | Annotated[DataQuality, tyro.conf.subcommand("quality")]
        | Annotated[Align, tyro.conf.subcommand("align")]
        | Annotated[Tracks, tyro.conf.subcommand("tracks")]
    )

    def run(self) -> int:
        """Run the command below."""
        return self.command.run()
