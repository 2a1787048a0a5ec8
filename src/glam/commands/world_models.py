"""`glam train-world-model`, `glam inspect`, `glam relabel` and `glam replay`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.collect import RobotName, TaskName
from glam.commands.console import bar, say, steps_bar
from glam.commands.engines import EngineName, pool_of
from glam.commands.flags import TrainingFlags
from glam.core.errors import GlamError
from glam.world_models import WORLD_MODELS

MethodName = Annotated[
    str,
    tyro.conf.arg(
        metavar="METHOD",
        help=f"{WORLD_MODELS.help}\nAdd -o for object masks instead of RGB, as in glam-o. docs/method/glam.md lists "
        "all variants, such as glam-o-symmetric.",
    ),
]


@dataclass(frozen=True)
class TrainWorldModel:
    """Stage 1: learn one latent action space from a labelled target set and auxiliary sets without labels."""

    method: tyro.conf.Positional[MethodName]
    target: Path
    """Dataset with actions and robot state."""
    out: Path
    """Folder of the run; the same command resumes an interrupted run."""
    aux: tuple[Path, ...] = ()
    """Datasets without labels, one or more."""
    skip_episodes: Path | None = None
    """List of episodes to leave out, as glam data quality --out writes it."""
    training: TrainingFlags = TrainingFlags()

    def run(self) -> int:
        """Train and print the run's folder."""
        from glam.data.skipping import read_skip_list
        from glam.recipes import world_model
        from glam.stages.train_world_model import Callbacks, train_world_model

        skipped = read_skip_list(self.skip_episodes)
        recipe = self.training.applied(world_model(self.method, self.training.preset))
        with bar("decoding") as decoding, steps_bar(f"training {self.method}") as training:
            callbacks = Callbacks(decoding, training, self.training.loggers)
            say(str(train_world_model(recipe, self.target, self.aux, self.out, callbacks, skipped)))
        return 0


@dataclass(frozen=True)
class Relabel:
    """Relabel datasets: give every transition a world model's latent action. The datasets stay as they are."""

    world_model: Path
    """Folder made by train-world-model."""
    data: tuple[Path, ...]
    """Datasets to relabel."""
    as_lerobot: Path | None = None
    """New folder for copies of the datasets in which the labels are a feature, action.latent, for any LeRobot trainer;
    with several datasets, each gets a folder in it. The last frame of an episode has no transition and repeats the
    label before it."""
    skip_episodes: Path | None = None
    """List of episodes to leave out, as glam data quality --out writes it: they get no labels."""
    engine: EngineName = "local"
    """local: on this machine; ray: on a Ray cluster that is running already (extra [cluster]), whose machines see all
    folders under the same paths, that of the cache too (GLAM_CACHE)."""

    def run(self) -> int:
        """Relabel and print the path of each column, and of each relabelled copy."""
        from glam.data.skipping import read_skip_list
        from glam.stages.relabel import relabel, relabelled_folders, write_as_lerobot

        skipped = read_skip_list(self.skip_episodes)
        if self.as_lerobot is not None:
            self._require_all_episodes()
            relabelled_folders(self.data, self.as_lerobot)  # refuses before the work rather than after it
        columns, pool = {}, pool_of(self.engine)
        for root in self.data:
            with bar(f"relabelling {root}") as progress:
                columns[root] = relabel(self.world_model, root, progress=progress, skipped=skipped, pool=pool)
            say(str(columns[root]))
        if self.as_lerobot is not None:
            with bar(f"writing {self.as_lerobot}") as progress:
                folders = write_as_lerobot(self.world_model, columns, self.as_lerobot, progress)
            for folder in folders:
                say(str(folder))
        return 0

    def _require_all_episodes(self) -> None:
        if self.skip_episodes is not None:
            instead = "label all, and give the trainer those to use, as in --dataset.episodes='[0, 1, 3]' of LeRobot"
            raise GlamError(f"--skip-episodes: a copy for other trainers holds all episodes; {instead}")


@dataclass(frozen=True)
class Replay:
    """Replay held-out episodes of any source on the simulated target robot, open-loop, through the latent actions."""

    world_model: Path
    """Folder made by train-world-model."""
    source: Path
    """Dataset recorded by glam collect; episodes that the model was trained on are left out."""
    task: TaskName
    out: Path | None = None
    """Folder for records and films; by default replay-SOURCE in the folder of the world model."""
    target: Path | None = None
    """Target dataset of the training, for lapa and lapa-o alone: they learn no action decoder, so one is fitted to its
    training episodes."""
    embodiment: RobotName = "kinova"
    episodes: int = 20
    """Episodes to replay."""
    films: int = 3
    """Side-by-side films to keep."""

    def run(self) -> int:
        """Replay and print the summary."""
        from glam.core.files import read_json
        from glam.stages.replay import COUNTS, ReplayConfig, replay_dataset

        config = ReplayConfig(self.task, self.embodiment, self.episodes, self.films)
        folder = self.out or self.world_model / f"replay-{self.source.resolve().name}"
        with bar("replaying") as progress:
            out = replay_dataset(config, self.world_model, self.source, folder, progress, self.target)
        summary = read_json(out / "replay.json")["summary"]
        for name in sorted(summary, key=lambda name: name not in COUNTS):  # counts first
            say(f"{name:20s} {summary[name]:.{0 if name in COUNTS else 2}f}")
        say(str(out))
        return 0


@dataclass(frozen=True)
class Inspect:
    """Judge a trained world model by its probes on held-out episodes, and make a page about it: RUN/inspect.html."""

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder made by train-world-model."""
    target: Path | None = None
    """Target dataset of the training, if it has been moved since: the page shows its images and the latent space."""
    aux: tuple[Path, ...] = ()
    """Auxiliary datasets of the training, in the same order, if they have been moved since."""

    def run(self) -> int:
        """Print the verdicts, the worst first, and the path of the page."""
        from glam.stages.inspect import inspect_world_model

        if self.target is None and self.aux:
            raise GlamError("--aux: give --target too, or neither of them if they lie where they lay in training")
        datasets = () if self.target is None else (self.target, *self.aux)
        with bar("decoding") as progress:
            inspection = inspect_world_model(self.run_folder, datasets, progress)
        for verdict in inspection.verdicts:
            say(f"{verdict.severity:8s} {verdict.finding}")
            if verdict.remedy:
                say(f"{'':8s} try: {verdict.remedy}")
        say(str(inspection.page))
        return 0
