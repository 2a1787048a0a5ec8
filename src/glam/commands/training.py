"""Flags that every training command has."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.training.config import FitConfig


@dataclass(frozen=True)
class TrainingFlags:
    """How long, on what and how often; what is not given is the scale's."""

    scale: Literal["cpu", "demo", "paper", "smoke"] = "cpu"
    """cpu: two cores, minutes; demo: the same networks with fewer steps; paper: the paper's sizes, for a GPU;
    smoke: seconds, to try the plumbing."""
    steps: int = 0
    """Gradient steps; 0 takes the scale's."""
    seed: int = 0
    """Of the weights, the batches and the noise."""
    threads: int = 0
    """CPU threads; 0 takes the scale's."""
    device: str = ""
    """cpu, cuda, cuda:1; empty takes the scale's."""
    loggers: tuple[Literal["tensorboard", "wandb", "trackio"], ...] = ()
    """Where metrics go besides metrics.jsonl; needs the extra [log]."""

    def applied(self, fit: "FitConfig") -> "FitConfig":
        """The scale's settings with what was given on the command line."""
        from glam.training.machine import flush_denormals

        flush_denormals()  # before any thread starts: it holds for threads that start later
        return replace(
            fit,
            seed=self.seed,
            steps=self.steps or fit.steps,
            threads=self.threads or fit.threads,
            device=self.device or fit.device,
        )
