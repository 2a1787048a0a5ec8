"""The command line: parse, call one stage, print the path of what it made."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from types import FrameType
from typing import Annotated, Protocol

import tyro

from glam.commands.bench import Bench
from glam.commands.cache import Cache
from glam.commands.collect import Collect
from glam.commands.console import say, say_error
from glam.commands.data import Data
from glam.commands.demo import Demo
from glam.commands.export import Export
from glam.commands.flags import REGISTRY, check_flags
from glam.commands.policies import Compare, Evaluate, Report, TrainPolicy
from glam.commands.serve import Serve
from glam.commands.world_models import Inspect, Relabel, Replay, TrainWorldModel
from glam.core.configs import DISTRIBUTION
from glam.core.errors import USERS_ERRORS, InterruptedRun, Terminated, sentence


class Runnable(Protocol):
    """A command with its flags filled in."""

    def run(self) -> int:
        """Do it; returns the exit code."""


Command = (
    Annotated[Demo, tyro.conf.subcommand("demo")]
    | Annotated[Collect, tyro.conf.subcommand("collect")]
    | Annotated[Data, tyro.conf.subcommand("data")]
    | Annotated[TrainWorldModel, tyro.conf.subcommand("train-world-model")]
    | Annotated[Inspect, tyro.conf.subcommand("inspect")]
    | Annotated[Relabel, tyro.conf.subcommand("relabel")]
    | Annotated[Replay, tyro.conf.subcommand("replay")]
    | Annotated[TrainPolicy, tyro.conf.subcommand("train-policy")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Compare, tyro.conf.subcommand("compare")]
    | Annotated[Report, tyro.conf.subcommand("report")]
    | Annotated[Serve, tyro.conf.subcommand("serve")]
    | Annotated[Export, tyro.conf.subcommand("export")]
    | Annotated[Bench, tyro.conf.subcommand("bench")]
    | Annotated[Cache, tyro.conf.subcommand("cache")]
)

_STYLE = (tyro.conf.OmitSubcommandPrefixes, tyro.conf.OmitArgPrefixes, tyro.conf.FlagCreatePairsOff)
_WORDS = "Learn from a few labelled demonstrations of your robot and many cheap ones without labels."


def main() -> None:
    """Run one command; bad input ends with one sentence and code 2, an interruption with code 130."""
    try:
        if sys.argv[1:] == ["--version"]:
            say(f"{DISTRIBUTION} {version(DISTRIBUTION)}")
            sys.exit(0)
        check_flags(sys.argv[1:])
    except USERS_ERRORS as error:
        say_error(sentence(error))
        sys.exit(2)
    command: Runnable = tyro.cli(Command, prog="glam", description=_WORDS, config=_STYLE, registry=REGISTRY)
    sys.exit(outcome(command))


def outcome(command: Runnable) -> int:
    """Run a command and return its exit code."""
    try:
        with _terminable():
            return command.run()
    except USERS_ERRORS as error:
        say_error(sentence(error))
        return 2
    except InterruptedRun as interruption:
        say_error(f"interrupted and {interruption}; the same command resumes there")
        return interruption.code
    except KeyboardInterrupt as interruption:
        say_error("interrupted; nothing that was saved is lost, and the same command resumes")
        return 128 + (signal.SIGTERM if isinstance(interruption, Terminated) else signal.SIGINT)


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end a command like Ctrl-C does: in order, workers included."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
