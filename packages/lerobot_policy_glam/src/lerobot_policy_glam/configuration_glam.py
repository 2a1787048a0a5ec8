"""Configuration of a GLAM policy for LeRobot, which finds the modules beside this one by its name."""

from dataclasses import dataclass, field
from typing import Any

from lerobot.configs.policies import PreTrainedConfig
from lerobot.configs.types import NormalizationMode
from lerobot.optim.optimizers import AdamWConfig

from glam.core.configs import from_json
from glam.data.schema import ACTION
from glam.interop.exported_policy import Description
from glam_client.action_chunking import ActionChunking


@PreTrainedConfig.register_subclass("glam")
@dataclass
class GlamConfig(PreTrainedConfig):
    """A policy written by `glam export`. It was trained with glam; LeRobot can only load and fine-tune it."""

    chunk_size: int = 20
    """Actions that the policy predicts at once; fixed by its networks."""
    n_action_steps: int = 5
    """Actions of each chunk to execute before the next prediction."""
    temporal_ensemble_weight: float = 0.75
    """Weight of the previous chunk in steps that both predict; 0 ignores it."""
    description: dict[str, Any] = field(default_factory=dict)
    """The whole policy but its weights, as plain JSON."""
    normalization_mapping: dict[str, NormalizationMode] = field(
        default_factory=lambda: dict.fromkeys(("VISUAL", "STATE", "ACTION"), NormalizationMode.IDENTITY)
    )
    """Must stay IDENTITY: the policy normalizes by itself, with the statistics of its training data."""
    optimizer_lr: float = 1e-4
    """For fine-tuning with lerobot-train."""
    optimizer_weight_decay: float = 1e-3
    push_to_hub: bool = False

    def __post_init__(self) -> None:
        """Refuse values that a GLAM policy cannot have."""
        super().__post_init__()
        if not 1 <= self.n_action_steps <= self.chunk_size:
            raise ValueError(f"n_action_steps {self.n_action_steps} must be from 1 to the chunk_size {self.chunk_size}")
        if not 0.0 <= self.temporal_ensemble_weight < 1.0:
            weight = self.temporal_ensemble_weight
            raise ValueError(f"temporal_ensemble_weight {weight} must be at least 0 and less than 1")
        if set(self.normalization_mapping.values()) != {NormalizationMode.IDENTITY}:
            raise ValueError("normalization_mapping must be IDENTITY throughout: a GLAM policy normalizes by itself")

    @property
    def chunking(self) -> ActionChunking:
        """Action chunking at run time."""
        return ActionChunking(self.n_action_steps, self.temporal_ensemble_weight)

    def parsed(self) -> Description:
        """The description as glam reads it."""
        if not self.description:
            raise ValueError("a GLAM policy needs a folder made by `glam export`: give it as --policy.path")
        return from_json(Description, self.description)

    def validate_features(self) -> None:
        """Refuse an environment or a dataset whose actions are not those of the policy."""
        description, found = self.parsed(), self.action_feature
        shape = tuple(found.shape) if found else ()
        if shape != (description.sizes.action,):
            wanted = description.sizes.action
            raise ValueError(f"{ACTION}: the policy commands {wanted} numbers, the environment or dataset has {shape}")
        if self.chunk_size != description.policy.head.chunk_size:
            raise ValueError(f"chunk_size {self.chunk_size} must be {description.policy.head.chunk_size}, as trained")

    @property
    def observation_delta_indices(self) -> None:
        """None: the policy uses the present observation only."""

    @property
    def action_delta_indices(self) -> list[int]:
        """Steps of the target chunk, which begins now."""
        return list(range(self.chunk_size))

    @property
    def reward_delta_indices(self) -> None:
        """None: rewards are not used."""

    def get_optimizer_preset(self) -> AdamWConfig:
        """For fine-tuning."""
        return AdamWConfig(lr=self.optimizer_lr, weight_decay=self.optimizer_weight_decay)

    def get_scheduler_preset(self) -> None:
        """The learning rate stays as it is."""
