"""A GLAM policy with LeRobot's interface: one observation in per step, one action out."""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from lerobot.policies.pretrained import PreTrainedPolicy
from torch import Tensor

from glam.core.seals import unseal
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, STATE
from glam.interop.export_lerobot import require_intact
from glam.interop.exported_policy import ExportedPolicy
from glam_client.action_chunking import ActionChunking
from lerobot_policy_glam.configuration_glam import GlamConfig

Batch = dict[str, Any]


class GlamPolicy(PreTrainedPolicy):
    """Action chunking over predicted chunks in the robot's own units: `select_action` needs no processor."""

    config_class = GlamConfig
    name = "glam"

    def __init__(self, config: GlamConfig, **_: Any) -> None:
        """Build the networks; LeRobot loads the weights. Other arguments, such as statistics, are not needed."""
        super().__init__(config)
        config.validate_features()
        self.model = ExportedPolicy(config.parsed())
        self.reset()

    @classmethod
    def _load_as_safetensor(cls, model: Any, model_file: str, map_location: str, strict: bool) -> Any:  # noqa: FBT001
        """Load what was exported, and strictly: LeRobot's default would leave missing weights random."""
        del strict
        require_intact(Path(model_file).parent)
        return super()._load_as_safetensor(model, model_file, map_location, True)  # noqa: FBT003

    def _save_pretrained(self, save_directory: Path, **gathered: Any) -> None:
        """Save as LeRobot does, which since 0.6 hands over weights that it may have gathered from several processes.

        The seal of an export that lay there no longer holds.
        """
        unseal(save_directory)
        super()._save_pretrained(save_directory, **gathered)

    def reset(self) -> None:
        """Begin an episode without a previous chunk."""
        self._queue: deque[Tensor] = deque()
        self._rest: Sequence[Tensor] | Tensor = ()

    @torch.no_grad()
    def select_action(self, batch: Batch, **_: Any) -> Tensor:
        """The action of this step. (B, n_a)."""
        if not self._queue:
            chunking: ActionChunking = self.config.chunking
            plan = chunking.mixed(self.predict_action_chunk(batch).transpose(0, 1), self._rest)  # (H, B, n_a)
            self._queue.extend(plan[: chunking.n_action_steps])
            self._rest = plan[chunking.n_action_steps :]
        return self._queue.popleft()

    @torch.no_grad()
    def predict_action_chunk(self, batch: Batch, **_: Any) -> Tensor:
        """The whole chunk that begins now. (B, H, n_a)."""
        self.eval()
        return self.model.act(*self._seen(batch))

    def forward(self, batch: Batch) -> tuple[Tensor, dict[str, float]]:
        """Behaviour-cloning loss for fine-tuning: squared error of the predicted chunk, in normalized units."""
        error = (self.model(*self._seen(batch)) - self.model.normalized(batch[ACTION])) ** 2  # (B, H, n_a)
        is_real = ~batch[f"{ACTION}_is_pad"].to(error.device)
        loss = (error.mean(-1) * is_real).sum() / is_real.sum().clamp_min(1)
        return loss, {"action_error": loss.item()}

    def get_optim_params(self) -> list[Tensor]:
        """All parameters but those of a frozen backbone."""
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def _seen(self, batch: Batch) -> tuple[list[Tensor], Tensor, Tensor]:
        """Images of each camera, pose and state."""
        interface = self.model.description.interface
        images = [_image(batch, IMAGE_PREFIX + camera) for camera in interface.cameras]
        state, pose = self._vectors(batch)
        return images, pose, state

    def _vectors(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """State and pose; a robot with one vector for all readings gives the pose after the state."""
        description, state = self.model.description, _vector(batch, STATE)
        state_size, pose_size = description.sizes.observation.state, description.pose_size
        if EE_POSE in batch and pose_size:
            pose = _vector(batch, EE_POSE)
        else:
            state, pose = state[..., :state_size], state[..., state_size:]
        found = state.shape[-1], pose.shape[-1]
        if found != (state_size, pose_size):
            raise ValueError(
                f"{STATE} must hold {state_size} numbers and {EE_POSE} {pose_size}, or {STATE} all of them in this "
                f"order; there are {found[0]} and {found[1]}"
            )
        return state, pose


def _vector(batch: Batch, name: str) -> Tensor:
    if name not in batch:
        raise ValueError(f"{name} is missing")
    values: Tensor = batch[name].to(torch.float32)
    if not torch.isfinite(values).all():
        raise ValueError(f"{name} has entries that are not finite")
    return values


def _image(batch: Batch, name: str) -> Tensor:
    """Images of a camera as uint8: undoes LeRobot's division by 255. (B, 3, Y, X) -> (B, Y, X, 3)."""
    if name not in batch:
        raise ValueError(f"{name} is missing; cameras of other names are renamed with --rename_map")
    image: Tensor = batch[name]
    if image.dtype != torch.uint8:
        if not (image.min() >= 0.0 and image.max() <= 1.0):  # in this form NaN is refused too
            raise ValueError(f"{name} must lie in 0..1; a GLAM policy normalizes images by itself")
        image = (image * 255.0).round().to(torch.uint8)
    return image.movedim(-3, -1)
