"""`glam export`."""

from dataclasses import dataclass
from pathlib import Path

from glam.commands.console import say
from glam_client.action_chunking import ActionChunking


@dataclass(frozen=True)
class Export:
    """Write a policy as a folder that LeRobot's own commands load through the plugin lerobot_policy_glam.

    docs/deploy.md explains how.
    """

    policy: Path
    """Folder made by train-policy."""
    out: Path
    """New folder; give it to LeRobot as --policy.path."""
    n_action_steps: int = ActionChunking.n_action_steps
    """Actions of each predicted chunk to execute before the next prediction; at most a whole chunk. LeRobot can change
    it with --policy.n_action_steps."""
    temporal_ensemble_weight: float = ActionChunking.temporal_ensemble_weight
    """Weight of the previous action chunk where chunks overlap (temporal ensembling); 0 turns it off. In LeRobot
    --policy.temporal_ensemble_weight."""

    def run(self) -> int:
        """Write the folder and print its path."""
        from glam.stages.export import export

        say(str(export(self.policy, self.out, ActionChunking(self.n_action_steps, self.temporal_ensemble_weight))))
        return 0
