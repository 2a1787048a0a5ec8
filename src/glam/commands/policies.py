"""`glam train-policy`, `glam evaluate`, `glam compare` and `glam report`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from glam.commands.collect import RobotName, TaskName
from glam.commands.console import bar, say, steps_bar
from glam.commands.flags import EncoderFlags, Six, TrainingFlags, chains_of
from glam.core.errors import GlamError
from glam.policies.heads import HEADS
from glam_client.action_chunking import ActionChunking

if TYPE_CHECKING:
    from glam.stages.target_robot import RobotModel

    HeadName = str
else:
    HeadName = tyro.extras.literal_type_from_choices(tuple(HEADS))


@dataclass(frozen=True)
class RobotFlags:
    """Target robot of retarget, unless it is one of GLAM's. Delta actions of the tool need none of these."""

    kinematics: Path | None = None
    """URDF or MJCF of the robot. Meshes need not be there."""
    tool_frame: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Link or site of that model whose poses were recorded; with two arms left=NAME and right=NAME."""
    joints: tuple[str, ...] = ()
    """Entries of an action that are the joints of the model, in its order. By default found by name."""
    angles: Literal["auto", "radians", "degrees"] = "auto"
    """Unit of joints in actions. auto: as the dataset was adopted, else radians."""
    base: Six | None = None
    """Placement of the model's base in the world frame of the poses: x y z (m) roll pitch yaw (degrees). By default as
    the dataset was adopted."""
    tool: Six | None = None
    """Placement of the common tool point in the tool frame, in the same way."""

    def model(self) -> "RobotModel | None":
        """The model of the robot, if one is given."""
        chains = chains_of(self.kinematics, self.tool_frame)
        if not chains:
            return None
        from glam.stages.target_robot import RobotModel

        return RobotModel(chains, self.joints, self.angles, self.base, self.tool)


@dataclass(frozen=True)
class TrainPolicy:
    """Stage 2: train a policy.

    latent learns from all sources, through a world model. mip is behaviour cloning on the labelled target alone, and
    direct the same with any policy head. retarget also learns from auxiliary sets: inverse kinematics turns their
    end-effector paths into actions of the robot, whose URDF or MJCF --kinematics gives.
    """

    method: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="METHOD")]
    """latent, mip, direct or retarget."""
    target: Path
    """Dataset with actions and robot state."""
    out: Path
    """Folder of the run; the same command resumes an interrupted run."""
    aux: tuple[Path, ...] = ()
    """Datasets without labels, for latent and retarget."""
    world_model: Path | None = None
    """Folder made by train-world-model, for latent."""
    head: Annotated[HeadName, tyro.conf.arg(help=HEADS.help)] = "mip"
    keypoint_weight: float = 0.0
    """Weight of an auxiliary loss for datasets with masks: the encoder learns to find their objects, and needs no masks
    on the robot. 20 is a good value. 0: policies learn from images, poses and states alone."""
    skip_episodes: Path | None = None
    """List of episodes to leave out, as glam data quality --out writes it."""
    vision: EncoderFlags = EncoderFlags()
    robot: RobotFlags = RobotFlags()
    training: TrainingFlags = TrainingFlags()

    def run(self) -> int:
        """Train and print the run's folder."""
        from glam.data.skipping import read_skip_list
        from glam.recipes import policy
        from glam.stages.policy_inputs import Inputs
        from glam.stages.train_policy import held_out_words, train_policy
        from glam.stages.train_world_model import Callbacks

        model = self.robot.model()
        if model is not None and self.method != "retarget":
            raise GlamError(f"--kinematics: {self.method} needs no model of the robot; only retarget takes one")
        recipe = policy(self.method, self.training.preset, self.head)
        observation = self.vision.applied(recipe.policy.observation, self.training.preset)
        learnt = replace(recipe.policy, observation=observation, keypoint_weight=self.keypoint_weight)
        recipe = self.training.applied(replace(recipe, policy=learnt))
        skipped = read_skip_list(self.skip_episodes)
        inputs = Inputs(self.target, self.aux, self.world_model, self.vision.encoder_weights, model, skipped)
        with bar("preparing data") as decoding, steps_bar(f"training {self.method}") as training:
            callbacks = Callbacks(decoding, training, self.training.loggers)
            out = train_policy(recipe, inputs, self.out, callbacks)
        for line in held_out_words(out):
            say(line)
        say(str(out))
        return 0


@dataclass(frozen=True)
class Evaluate:
    """Evaluate a policy in unseen scenes: one record per episode, success rate with its interval, films."""

    policy: Path
    """Folder made by train-policy."""
    task: TaskName
    out: Path
    """Folder for the records."""
    embodiment: RobotName = "kinova"
    episodes: int = 200
    """Number of unseen scenes, one rollout each."""
    split: Literal["validation", "test"] = "validation"
    """validation: scenes to choose settings by, as often as you like.
    test: scenes for the final number; a policy that was chosen by them looks better there than it is."""
    first: int = 0
    """Number of the first scene in its split, counted from 0; with --first 200 you get 200 other ones."""
    n_action_steps: int = ActionChunking.n_action_steps
    """Actions of each predicted chunk that are executed before the next prediction."""
    temporal_ensemble_weight: float = ActionChunking.temporal_ensemble_weight
    """Weight of the previous action chunk where chunks overlap (temporal ensembling); 0 turns it off."""
    without: tuple[Literal["pose", "state", "tracks"], ...] = ()
    """What the policy has to do without, as on a robot that does not know it; it was dropped out in training."""
    films: int = 3
    """Successes of which a film is kept, and as many failures; 0 for none."""
    workers: int = 2
    """Processes; the outcomes are the same with any number."""

    def run(self) -> int:
        """Evaluate and print the rate."""
        from glam.core.files import read_json
        from glam.evaluation.evaluations import read_records
        from glam.evaluation.foresight import foresight
        from glam.stages.evaluate import EvaluateConfig, evaluate

        config = EvaluateConfig(
            self.task,
            self.embodiment,
            self.episodes,
            self.split,
            self.first,
            n_action_steps=self.n_action_steps,
            temporal_ensemble_weight=self.temporal_ensemble_weight,
            films=self.films,
        )
        with bar(f"{self.task} by {self.embodiment}") as progress:
            out = evaluate(config, self.policy, self.out, without=self.without, workers=self.workers, progress=progress)
        overall = read_json(out / "eval_info.json")["overall"]
        low, high = overall["pc_success_ci95"]
        rate = f"{overall['pc_success']:.1f} %, 95 % interval {low:.1f} to {high:.1f}"
        scenes = f"{self.split} scenes, from number {self.first} on"
        lacking = f", without {' and '.join(self.without)}" if self.without else ""
        say(f"success {overall['n_success']} of {overall['n_episodes']} {scenes}{lacking}: {rate}")
        if found := foresight(read_records(out)):
            say(found.sentence)
        say(str(out))
        return 0


@dataclass(frozen=True)
class Compare:
    """Compare two evaluations: the difference of their success rates, its interval and its significance."""

    a: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="A")]
    """Folder made by evaluate."""
    b: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="B")]
    """Folder made by evaluate."""

    def run(self) -> int:
        """Print the verdict."""
        from glam.evaluation.comparison import compare_runs

        say(compare_runs(self.a, self.b).sentence)
        return 0


@dataclass(frozen=True)
class Report:
    """Make one page about evaluations, trainings, replays and benchmarks.

    It shows success rates with intervals, failed stages, films, learning curves, and the commands behind the numbers.
    """

    folders: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="DIR...")]
    """Folders made by evaluate, train-policy, train-world-model, replay or bench, or folders that contain such; of a
    benchmark, give its folder of records, such as runs/bench/records, for a table of all cells."""
    out: Path = Path("report.html")
    """The page: one file that loads nothing from the network."""

    def run(self) -> int:
        """Write the page and print its path."""
        from glam.stages.report import report

        with bar("decoding") as progress:
            say(str(report(self.folders, self.out, progress)))
        return 0
