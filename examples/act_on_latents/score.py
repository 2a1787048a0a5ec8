"""How far from the recorded actions is what ACT predicts, once it is decoded? On episodes of a target set.

`python examples/act_on_latents/score.py --policy runs/act --world-model runs/world-model --data relabelled/kinova`.
Errors are absolute, in standard deviations of each entry of the action, and averaged over entries and steps.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from decoded import decoded
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from record import write_record

from glam.data.latents import FEATURE
from glam.data.reader import Dataset
from glam.data.schema import ACTION, EE_POSE, STATE
from glam.interop.latent_actions import open_decoder

ANSWERS = ("the mean action", "decoded labels", "decoded predictions of ACT")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--world-model", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--episodes", type=int, default=4, help="how many, counted from the last")
    parser.add_argument("--numbers", type=int, nargs="*", default=[], help="of episodes, in place of the last ones")
    parser.add_argument("--json", type=Path, help="write the figures into this file too")
    told = parser.parse_args()
    errors = score(told)
    for what, error in errors.items():
        print(f"{what}: {error:.3f}")
    if told.json:
        dataset = Dataset.open(told.data)
        data = {"sha256": dataset.content_id, "episodes": list(chosen(dataset, told))}
        write_record(told.json, told.policy, {"errors_in_standard_deviations": errors, "dataset": data})


def score(told: argparse.Namespace) -> dict[str, float]:
    act, decode = decoded(told.policy, told.world_model), open_decoder(told.world_model)
    dataset, normalizer = Dataset.open(told.data), decode.trained.normalizer.action
    found: dict[str, list[np.ndarray]] = {what: [] for what in ANSWERS}
    for index in chosen(dataset, told):
        episode = dataset.episode(index)
        images = np.stack(list(episode.images.values()), axis=1)
        poses, states, actions = (episode.vectors[name] for name in (EE_POSE, STATE, ACTION))
        labels = LeRobotDataset("local/relabelled", root=told.data, episodes=[index]).hf_dataset[FEATURE]
        answers = (
            np.broadcast_to(normalizer.mean, actions.shape),
            decode(np.stack(labels)),
            act(images, poses, states)[:, 0],
        )
        for what, answer in zip(ANSWERS, answers, strict=True):
            errors = np.abs(normalizer.normalize(answer) - normalizer.normalize(actions))
            found[what].append(errors[:-1])  # the last row's label repeats the one before it
    return {what: float(np.concatenate(errors).mean()) for what, errors in found.items()}


def chosen(dataset: Dataset, told: argparse.Namespace) -> Sequence[int]:
    count = len(dataset.episodes)
    return told.numbers or range(count - told.episodes, count)


if __name__ == "__main__":
    main()
