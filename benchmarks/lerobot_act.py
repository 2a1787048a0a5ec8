"""Milliseconds of calls of LeRobot's ACT with one observation, on one core.

Run by `speed.py` in LeRobot's own environment, as `lerobot_act.py CALLS PIXELS CHUNK`. The policy has the inputs of
ours (two cameras, the state of a robot with 7 joints and a gripper), as many actions in a chunk, and ACT's own settings
otherwise. Weights are random, which cost as much as any others.
"""

import json
import sys
import time

import lerobot_torchvision  # noqa: F401 - first
import torch
from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy

CAMERAS, JOINTS, WARM_UP = ("front", "overhead"), 8, 3


def main() -> None:
    calls, pixels, chunk = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    policy, observation = act(pixels, chunk), random_observation(pixels)
    times = []
    for _ in range(WARM_UP + calls):
        begin = time.perf_counter()
        with torch.inference_mode():
            policy.predict_action_chunk(dict(observation))
        times.append(1e3 * (time.perf_counter() - begin))
    print(json.dumps(times[WARM_UP:]))


def act(pixels: int, chunk: int) -> ACTPolicy:
    images = {f"observation.images.{name}": PolicyFeature(FeatureType.VISUAL, (3, pixels, pixels)) for name in CAMERAS}
    state = {"observation.state": PolicyFeature(FeatureType.STATE, (JOINTS,))}
    action = {"action": PolicyFeature(FeatureType.ACTION, (JOINTS,))}
    config = ACTConfig(
        input_features=images | state, output_features=action, chunk_size=chunk, n_action_steps=chunk,
        pretrained_backbone_weights=None, device="cpu",
    )  # fmt: skip
    return ACTPolicy(config).eval()


def random_observation(pixels: int) -> dict[str, torch.Tensor]:
    images = {f"observation.images.{name}": torch.rand(1, 3, pixels, pixels) for name in CAMERAS}
    return images | {"observation.state": torch.randn(1, JOINTS)}


if __name__ == "__main__":
    main()
