"""What ACT predicts, as actions of the robot: images and poses in, chunks of actions out."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.factory import make_pre_post_processors
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.interop.latent_actions import open_decoder

Floats = NDArray[np.float32]
Act = Callable[[NDArray[np.uint8], Floats, Floats], Floats]


def decoded(policy: Path, world_model: Path) -> Act:
    """ACT and the world model as one policy: images (B, V, Y, X, 3), poses (B, p), states (B, n_s) -> (B, H, n_a)."""
    decode = open_decoder(world_model)
    if json.loads((policy / "world_model.json").read_text())["digest"] != decode.digest:
        raise GlamError(f"{world_model}: not the world model whose latent actions {policy} has learnt; give that one")
    act = ACTPolicy.from_pretrained(policy)
    before, after = make_pre_post_processors(act.config, str(policy))
    cameras = [f"observation.images.{name}" for name in decode.trained.interface.cameras]

    def chunks(images: NDArray[np.uint8], poses: Floats, states: Floats) -> Floats:
        del states  # a hand-held gripper has none, so this policy was trained without it
        images = torch.from_numpy(images).movedim(-1, 2) / 255.0
        seen = {camera: images[:, view] for view, camera in enumerate(cameras)}
        latents = after(act.predict_action_chunk(before(seen | {"observation.state": torch.from_numpy(poses)})))
        return decode(latents.numpy())

    return chunks
