"""LeRobot's own programs with an exported policy: do they ask the simulated arm for the actions that we ask it for?

    python -m benchmarks.lerobot_drives eval RUN [--task stack-two] [--episodes 10] [--json OUT]
    python -m benchmarks.lerobot_drives rollout RUN [--task stack-two] [--seconds 30] [--json OUT]

RUN is a folder made by train-policy. To be run where LeRobot and our plugin are installed, such as in the environment
of `make test-lerobot`; `lerobot-rollout` comes with newer versions than that one's. Ends with code 1 if an action
differs by more than 1e-6, or the success of an episode.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions
from lerobot.utils.import_utils import register_third_party_plugins

from glam.core.files import read_json, write_json
from glam.core.simulated import FIRST_VALIDATION_SEED
from glam.policies import trained
from glam.sim.embodiments import find_embodiment
from glam.sim.rollouts import Rollout, roll_out
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages.evaluate import guard
from glam.stages.export import export
from glam_client.action_chunking import ActionChunking

MOST = 1e-6
Actions = list[list[float]]
"""What the arm was asked for in an episode."""


def main() -> None:
    options = parse()
    register_third_party_plugins()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        exported = export(options.run, place / "pretrained_model")
        compare = compare_eval if options.what == "eval" else compare_rollout
        found = compare(options, exported, place)
    print(found)
    if options.json:
        facts = {"what": f"lerobot-{options.what}", "task": options.task, "policy": trained.load(options.run).digest}
        write_json(options.json, facts | found | conditions("lerobot", "torch", "mujoco"))
    is_equal = found.get("successes_of_lerobot") == found.get("successes_of_glam")
    sys.exit(0 if is_equal and found["largest_difference"] <= MOST else 1)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["eval", "rollout"])
    parser.add_argument("run", type=Path)
    parser.add_argument("--task", default="stack-two")
    parser.add_argument("--episodes", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def compare_eval(options: argparse.Namespace, exported: Path, place: Path) -> dict[str, Any]:
    """All episodes at once, from the scenes of `glam evaluate`."""
    theirs, count = noted_by_plugin(), options.episodes
    run_lerobot(
        "lerobot_eval", f"--policy.path={exported}", "--policy.device=cpu", "--env.type=glam",
        f"--env.task={options.task}", f"--seed={FIRST_VALIDATION_SEED}", f"--eval.n_episodes={count}",
        f"--eval.batch_size={count}", f"--output_dir={place / 'eval'}",
    )  # fmt: skip
    successes = read_json(place / "eval" / "eval_info.json")["per_task"][0]["metrics"]["successes"]
    ours, rollouts = our_own(options, count)
    wanted = [rollout.is_success for rollout in rollouts]
    return differences(theirs[:count], ours) | {"successes_of_lerobot": successes, "successes_of_glam": wanted}


def compare_rollout(options: argparse.Namespace, exported: Path, place: Path) -> dict[str, Any]:
    """One episode; as far as LeRobot comes in its time."""
    import_module("benchmarks.understudy")  # registers the robot
    notes = place / "notes.json"
    run_lerobot(
        "lerobot_rollout", "--strategy.type=base", f"--policy.path={exported}", "--policy.device=cpu",
        "--robot.type=understudy", f"--robot.task={options.task}", f"--robot.seed={FIRST_VALIDATION_SEED}",
        f"--robot.notes={notes}", "--fps=10", f"--duration={options.seconds}", "--return_to_initial_position=false",
    )  # fmt: skip
    theirs: Actions = read_json(notes)
    (ours,), _ = our_own(options, 1)
    common = min(len(theirs), len(ours))
    return differences([theirs[:common]], [ours[:common]])


def run_lerobot(program: str, *words: str) -> None:
    sys.argv = [program, *words]
    import_module(f"lerobot.scripts.{program}").main()


def our_own(options: argparse.Namespace, count: int) -> tuple[list[Actions], list[Rollout]]:
    asked: list[Actions] = []
    seeds = range(FIRST_VALIDATION_SEED, FIRST_VALIDATION_SEED + count)
    worlds = [World(find_task(options.task), find_embodiment("kinova")) for _ in seeds]
    rollouts = roll_out(
        worlds, seeds, trained.load(options.run).act, ActionChunking(), lambda world: noting(asked, world)
    )
    return asked, rollouts


def noted_by_plugin() -> list[Actions]:
    """A list that fills with the actions of each episode, in the order in which the plugin begins them."""
    asked: list[Actions] = []
    module: Any = import_module("lerobot_policy_glam.guarded_env")
    module.guard = lambda world: noting(asked, world)
    return asked


def noting(episodes: list[Actions], world: World) -> Callable[[Any], Any]:
    allowed = guard(world)
    actions: Actions = []
    episodes.append(actions)

    def note(action: Any) -> Any:
        actions.append(action.tolist())
        return allowed(action)

    return note


def differences(theirs: list[Actions], ours: list[Actions]) -> dict[str, Any]:
    """Of actions, step by step; an episode of another length is endlessly different."""
    pairs = list(zip(theirs, ours, strict=True))
    largest = max(np.abs(np.subtract(a, b)).max() if len(a) == len(b) else np.inf for a, b in pairs)
    return {"episodes": len(ours), "actions": sum(map(len, ours)), "largest_difference": float(largest)}


if __name__ == "__main__":
    main()
