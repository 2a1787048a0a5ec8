"""`glam demo`."""

from dataclasses import dataclass
from pathlib import Path

from glam.commands.console import bar, say


@dataclass(frozen=True)
class Demo:
    """Record a few demonstrations of stack-two with each embodiment and make a page to look at."""

    out: Path = Path("demo")
    """Folder for the datasets and the page."""
    episodes: int = 4
    """Demonstrations of each embodiment."""
    workers: int = 2
    """Processes."""

    def run(self) -> int:
        """Run the demo and print the path of its page."""
        from glam.stages.demo import demo

        with bar("demonstrations") as progress:
            page = demo(self.out, self.episodes, workers=self.workers, progress=progress)
        say(str(page))
        return 0
