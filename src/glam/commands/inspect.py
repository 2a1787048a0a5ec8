"""`glam inspect`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from glam.commands.console import bar, say
from glam.core.errors import GlamError


@dataclass(frozen=True)
class Inspect:
    """Judge a trained world model by its probes on held-out episodes, and make a page about it: RUN/inspect.html."""

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder made by train-world-model."""
    target: Path | None = None
    """Target dataset of the training, if it has been moved since: the page shows its images and the latent space."""
    aux: tuple[Path, ...] = ()
    """Auxiliary datasets of the training, likewise, in the order of the training."""

    def run(self) -> int:
        """Print the verdicts, the worst first, and the path of the page."""
        from glam.stages.inspect import inspect_world_model

        if self.target is None and self.aux:
            raise GlamError("--aux: give --target too, or neither of them if they lie where they lay in training")
        datasets = () if self.target is None else (self.target, *self.aux)
        with bar("decoding") as progress:
            inspection = inspect_world_model(self.run_folder, datasets, progress)
        for verdict in inspection.verdicts:
            say(f"{verdict.severity:8s} {verdict.finding}")
            if verdict.remedy:
                say(f"{'':8s} try: {verdict.remedy}")
        say(str(inspection.page))
        return 0
