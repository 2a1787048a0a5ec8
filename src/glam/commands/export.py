"""`glam export`."""

from dataclasses import dataclass
from pathlib import Path

from glam.commands.console import say
from glam.core.action_chunking import ActionChunking


@dataclass(frozen=True)
class Export:
    """Write a policy as a folder that LeRobot's own commands load, with the plugin lerobot_policy_glam installed.

    docs/deploy.md says how.
    """

    policy: Path
    """Folder made by train-policy."""
    out: Path
    """New folder: what LeRobot takes as --policy.path."""
    n_action_steps: int = ActionChunking.n_action_steps
    """Actions of each predicted chunk that are executed before the policy looks again; at most a whole chunk. LeRobot
    can still change it, with --policy.n_action_steps."""
    temporal_ensemble_weight: float = ActionChunking.temporal_ensemble_weight
    """Weight of the chunk before, in steps that both predict: 0 forgets it. In LeRobot --policy.memory."""

    def run(self) -> int:
        """Write the folder and print its path."""
        from glam.stages.export import export

        say(str(export(self.policy, self.out, ActionChunking(self.n_action_steps, self.temporal_ensemble_weight))))
        return 0
