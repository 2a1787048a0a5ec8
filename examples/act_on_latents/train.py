"""Train LeRobot's ACT to predict latent actions, from recordings with and without actions of a robot.

First `glam relabel --world-model runs/world-model --data data/kinova data/umi --as-lerobot relabelled`, then
`python examples/act_on_latents/train.py --data relabelled/kinova relabelled/umi --out runs/act`. LeRobot must be
installed. The result is an ordinary LeRobot policy folder; docs/other_trainers.md goes on from there.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.datasets.compute_stats import aggregate_stats
from lerobot.datasets.lerobot_dataset import LeRobotDataset, LeRobotDatasetMetadata
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.act.processor_act import make_act_pre_post_processors
from torch.utils.data import ConcatDataset, DataLoader, Dataset

from glam.core.errors import GlamError
from glam.interop.latent_actions import world_model_of

RENAMED = {
    "action.latent": "action",
    "action.latent_is_pad": "action_is_pad",
    "observation.ee_pose": "observation.state",
}
"""ACT knows one action and one state. The pose is the state that every source has."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held-out", type=int, default=0, help="last episodes of each set, not learnt from")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--chunk", type=int, default=20)
    parser.add_argument("--width", type=int, default=512, help="of ACT's transformer")
    parser.add_argument("--device", default="cpu")
    train(parser.parse_args())


def train(told: argparse.Namespace) -> None:
    models = {world_model_of(root) for root in told.data}
    if len(models) > 1:
        raise GlamError("--data: relabelled by different world models, whose latent actions have nothing in common")
    torch.manual_seed(0)
    sets = [RelabelledSource(root, told.chunk, told.held_out) for root in told.data]
    config = act_config(sets[0].features, told)
    policy = ACTPolicy(config).train()
    before, after = make_act_pre_post_processors(config, aggregate_stats([part.stats for part in sets]))
    optimiser = torch.optim.AdamW(policy.get_optim_params(), lr=1e-4, weight_decay=1e-4)
    rows = DataLoader(ConcatDataset(sets), told.batch, shuffle=True, drop_last=True)
    for step, batch in zip(range(told.steps + 1), endless(rows), strict=False):
        loss, parts = policy(before(batch))
        if step % max(told.steps // 20, 1) == 0:
            print(f"step {step}: error of normalized latent actions {parts['l1_loss']:.3f}", flush=True)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), 10.0)
        optimiser.step()
    for part in (policy, before, after):
        part.save_pretrained(told.out)
    (told.out / "world_model.json").write_text(json.dumps({"digest": models.pop()}))
    print(told.out)


class RelabelledSource(Dataset):
    """A relabelled dataset as ACT wants to see it."""

    def __init__(self, root: Path, chunk: int, held_out: int) -> None:
        meta = LeRobotDatasetMetadata(f"local/{root.name}", root=root)
        wanted = {"action.latent": [step / meta.fps for step in range(chunk)]}
        episodes = list(range(meta.total_episodes - held_out))
        self.rows = LeRobotDataset(meta.repo_id, root=root, episodes=episodes, delta_timestamps=wanted)
        self.names = {name: name for name in meta.video_keys} | RENAMED
        self.stats = {new: meta.stats[old] for old, new in self.names.items() if old in meta.stats}
        self.features = {new: meta.features[old]["shape"] for old, new in self.names.items() if old in meta.features}

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: int) -> dict[str, torch.Tensor]:
        found = self.rows[row]
        return {new: found[old] for old, new in self.names.items()}


def act_config(shapes: dict[str, tuple[int, ...]], told: argparse.Namespace) -> ACTConfig:
    inputs = {}
    for name, shape in shapes.items():
        if name.startswith("observation.images."):
            inputs[name] = PolicyFeature(FeatureType.VISUAL, (shape[2], *shape[:2]))
    inputs["observation.state"] = PolicyFeature(FeatureType.STATE, tuple(shapes["observation.state"]))
    return ACTConfig(
        input_features=inputs,
        output_features={"action": PolicyFeature(FeatureType.ACTION, tuple(shapes["action"]))},
        chunk_size=told.chunk,
        n_action_steps=min(10, told.chunk),
        dim_model=told.width,
        dim_feedforward=4 * told.width,
        pretrained_backbone_weights=None,  # nothing is fetched; "ResNet18_Weights.IMAGENET1K_V1" begins better
        device=told.device,
    )


def endless(rows: DataLoader) -> Iterator[dict[str, torch.Tensor]]:
    while True:
        yield from rows


if __name__ == "__main__":
    main()
