"""Labels of world models beside those of inverse kinematics: how far apart are the places they send the tool to?

    python -m benchmarks.label_precision RUN... --target DIR --aux DIR --out docs/results/label_precision.json

For every transition of unseen auxiliary episodes, the decoded label of each world model is a joint target. So is the
label that retargeting makes, with its law fitted to the target's demonstrations. Both are places of the tool at rest.
On the target's held-out episodes the recorded action is the truth. No episode is executed, so a run takes seconds.
The record keeps what it has on other world models and other tasks.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.conditions import conditions

from glam.core.configs import from_json
from glam.data.cache import decoded
from glam.data.demonstrations import hold_out
from glam.data.reader import Dataset
from glam.data.windows import EpisodeTable, Frames, labelled, transitions
from glam.policies import command_law
from glam.sim.retargeting import Retargeter
from glam.stages.retargeted import joint_path
from glam.stages.target_robot import retargeter_of
from glam.stages.train_world_model import WorldModelConfig
from glam.training import artefact
from glam.world_models.runs import TrainedWorldModel, decode_actions, label_all, load, source_for

SLOW = 0.02
"""Speed of a tool, in m/s, below which it counts as slow: what is wrong there is no matter of timing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="folders of glam train-world-model")
    parser.add_argument("--target", type=Path, required=True, help="target dataset of the trainings")
    parser.add_argument("--aux", type=Path, required=True, help="auxiliary episodes that no training has seen")
    parser.add_argument("--out", type=Path, default=Path("docs/results/label_precision.json"))
    given = parser.parse_args()
    record = json.loads(given.out.read_text()) if given.out.exists() else {"world_models": {}}
    for run in given.runs:
        found = measured(run, given.target, given.aux)
        record["world_models"][run.name] = found
        print(run.name, found["target_mm"], found["aux_mm"], flush=True)
    record["conditions"] = conditions("torch", "mujoco")
    given.out.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def measured(run: Path, target: Path, aux: Path) -> dict[str, Any]:
    """Distances of decoded labels of one world model, in millimetres."""
    trained, its = load(run), artefact.load(run)
    config = from_json(WorldModelConfig, its.config)
    known, other = (decoded(Dataset.open(root), trained.interface.pixels) for root in (target, aux))
    robot = retargeter_of(target, labelled(known, str(target)))
    assert isinstance(robot, Retargeter)
    split = hold_out(known.episodes, known.content_id, config.held_out, config.fit.seed)
    rows = np.isin(transitions(known.episodes), split.held_out.frame_indices)
    truth = labelled(known, str(target)).action[transitions(known.episodes)][rows]
    ours = decode(trained, target, known)[rows]
    reference = retargeted(robot, target, known, other, split.train)
    decoded_labels = decode(trained, aux, other)
    steps = np.linalg.norm(np.diff(other.ee_pose[:, :3], axis=0, append=other.ee_pose[-1:, :3]), axis=1)
    is_slow = (steps * other.schema.fps)[transitions(other.episodes)] < SLOW
    half = truth[:, robot.grippers].min(0) / 2 + truth[:, robot.grippers].max(0) / 2

    def is_open(commands: np.ndarray) -> np.ndarray:
        return commands[:, robot.grippers] > half

    return {
        "method": config.method,
        "task": str(Dataset.open(target).provenance.get("description", {}).get("config", {}).get("task", "")),
        "robot": robot.robot,
        "steps": config.fit.steps,
        "target_windows": config.batch.target_windows,
        "action_weight": getattr(config.model, "action_weight", None),
        "log_variance": list(config.model.parts.log_variance),
        "target_mm": summary(robot, ours, truth),
        "aux_mm": summary(robot, decoded_labels, reference),
        "aux_slow_mm": summary(robot, decoded_labels[is_slow], reference[is_slow]),
        "gripper_agreement": round(float((is_open(decoded_labels) == is_open(reference)).mean()), 4),
    }


def decode(trained: TrainedWorldModel, root: Path, frames: Frames) -> np.ndarray:
    return decode_actions(trained, label_all(trained, source_for(trained, str(root), frames)))


def retargeted(robot: Retargeter, root: Path, known: Frames, other: Frames, train: EpisodeTable) -> np.ndarray:
    """Actions of inverse kinematics for the auxiliary episodes."""
    frames = labelled(known, str(root))
    paths = [joint_path(robot, one, lambda *_: None) for one in (known, other)]
    law = command_law.fit(paths[0].reached, frames.action, known.episodes, train, robot.grippers)
    commands = np.clip(law.commands(paths[1].reached, other.episodes), robot.low, robot.high)
    return commands[transitions(other.episodes)].astype(np.float32)


def summary(robot: Retargeter, found: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Distance of the tool, in millimetres; of the worse arm where there are two."""
    far = 1000.0 * np.linalg.norm(robot.tools(found) - robot.tools(truth), axis=-1).max(axis=1)
    values = {"median": np.median(far), "mean": far.mean(), "p90": np.quantile(far, 0.9)}
    return {name: round(float(value), 2) for name, value in values.items()}


if __name__ == "__main__":
    main()
