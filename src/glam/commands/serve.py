"""`glam serve`."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from glam.commands.console import say


@dataclass(frozen=True)
class Serve:
    """Serve a policy to a robot on this or another machine: observations in, action chunks out. Ends with Ctrl-C.

    docs/deploy.md explains what to do on the robot.
    """

    policy: Path
    """Folder made by train-policy."""
    host: str = "127.0.0.1"
    """Address to listen on. One that other machines can reach needs --token-file."""
    port: int = 8765
    """Port to listen on; 0 picks a free one. The address is printed."""
    token_file: Path | None = None
    """File with the shared secret that a robot must send; only you may be able to read it."""
    ping_timeout: float = 5.0
    """Seconds without an answer to a ping after which a robot counts as gone; more for programs that block for long."""

    def run(self) -> int:
        """Serve, and print connections."""
        from glam.stages.serve import serve

        serve(self.policy, self.host, self.port, self.token_file, self.ping_timeout, _say)
        return 0


def _say(line: str) -> None:
    """Print a line, and keep serving if the reader of our output has gone."""
    with suppress(SystemExit):
        say(line)
