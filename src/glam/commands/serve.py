"""`glam serve`."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from glam.commands.console import say
from glam.core.errors import GlamError

_EXTRA = {"msgpack", "websockets"}


@dataclass(frozen=True)
class Serve:
    """Serve a policy to a robot on this or another machine: observations in, chunks of actions out. Ends with Ctrl-C.

    docs/deploy.md says what to do on the robot.
    """

    policy: Path
    """Folder made by train-policy."""
    host: str = "127.0.0.1"
    """Address to listen on; another than this machine's own needs --token-file."""
    port: int = 8765
    """0 for any free one, which is then printed."""
    token_file: Path | None = None
    """File with the word that a robot must know; only you may be able to read it."""

    def run(self) -> int:
        """Serve, and say who comes and goes."""
        try:
            from glam.stages.serve import serve
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] not in _EXTRA:
                raise
            raise GlamError("glam serve needs the extra [serve]: pip install 'glam[serve]'") from None
        serve(self.policy, self.host, self.port, self.token_file, _say)
        return 0


def _say(line: str) -> None:
    """A server outlives whoever reads what it says: a console whose pipe is gone ends the program otherwise."""
    with suppress(SystemExit):
        say(line)
