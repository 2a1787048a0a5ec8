"""Receding horizon: how far a chunk of actions is followed, and what is remembered of the one before.

A policy sees one moment. What was planned when the goal was in sight may know better than a look at a hand that hides
it; so where the new chunk and the rest of the old one speak of the same steps, both count.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from glam.core.errors import GlamError

Actions = TypeVar("Actions", bound=Any)
"""An array or a tensor of actions, one after the other. (T, ..., n_a)."""


@dataclass(frozen=True)
class ActionChunking:
    """Of every chunk the first `n_action_steps` actions are executed; then the policy looks again."""

    n_action_steps: int = 5
    temporal_ensemble_weight: float = 0.75
    """Weight of the old chunk in steps of which both speak; 0 forgets it."""

    def __post_init__(self) -> None:
        if self.n_action_steps < 1:
            raise GlamError(f"--n-action-steps {self.n_action_steps}: at least 1 action of a chunk must be executed")
        if not 0.0 <= self.temporal_ensemble_weight < 1.0:
            raise GlamError(
                f"--temporal-ensemble-weight {self.temporal_ensemble_weight}: must be at least 0 and less than 1"
            )

    def mixed(self, chunk: Actions, rest: Any) -> Actions:
        """A new chunk, which is changed in place, with what was left of the old one mixed in."""
        if common := min(len(chunk), len(rest)):
            chunk[:common] += self.temporal_ensemble_weight * (rest[:common] - chunk[:common])
        return chunk


DEFAULT_CHUNKING = ActionChunking()
