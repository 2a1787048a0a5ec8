"""Action chunking: execute a part of each predicted chunk, then predict again, with temporal ensembling.

A policy sees one moment. The previous chunk was predicted from an earlier view, perhaps before the hand hid the object.
Where the new chunk and the rest of the previous one predict the same steps, the executed action is a weighted mean.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from glam_client.errors import GlamError

Actions = TypeVar("Actions", bound=Any)
"""Array or tensor of actions, one per step. (T, ..., n_a)."""


@dataclass(frozen=True)
class ActionChunking:
    """Execute the first `n_action_steps` actions of every chunk, then ask the policy again."""

    n_action_steps: int = 5
    temporal_ensemble_weight: float = 0.75
    """Weight of the previous chunk in steps that both chunks predict; 0 ignores it."""

    def __post_init__(self) -> None:
        if self.n_action_steps < 1:
            raise GlamError(f"--n-action-steps {self.n_action_steps}: at least 1 action of a chunk must be executed")
        if not 0.0 <= self.temporal_ensemble_weight < 1.0:
            raise GlamError(
                f"--temporal-ensemble-weight {self.temporal_ensemble_weight}: must be at least 0 and less than 1"
            )

    def mixed(self, chunk: Actions, rest: Any) -> Actions:
        """Mix the rest of the previous chunk into a new one, which is changed in place and returned."""
        if common := min(len(chunk), len(rest)):
            chunk[:common] += self.temporal_ensemble_weight * (rest[:common] - chunk[:common])
        return chunk


DEFAULT_CHUNKING = ActionChunking()
