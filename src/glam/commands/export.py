"""`glam export`."""

from dataclasses import dataclass
from pathlib import Path

from glam.commands.console import say
from glam.core.horizon import Horizon


@dataclass(frozen=True)
class Export:
    """Write a policy as a folder that LeRobot's own commands load, with the plugin lerobot_policy_glam installed.

    docs/deploy.md says how.
    """

    policy: Path
    """Folder made by train-policy."""
    out: Path
    """New folder: what LeRobot takes as --policy.path."""
    execute: int = Horizon.execute
    """Actions of each predicted chunk that are executed before the policy looks again; at most a whole chunk. LeRobot
    can still change it, with --policy.n_action_steps."""
    memory: float = Horizon.memory
    """Weight of the chunk before, in steps that both predict: 0 forgets it. In LeRobot --policy.memory."""

    def run(self) -> int:
        """Write the folder and print its path."""
        from glam.stages.export import export

        say(str(export(self.policy, self.out, Horizon(self.execute, self.memory))))
        return 0
