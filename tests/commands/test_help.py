"""Help texts: every flag has words of its own, on lines as wide as the terminal, and says nothing of absent values."""

import re
from dataclasses import dataclass
from typing import Annotated

import pytest
import tyro
from tests.typed import Glam

from glam.commands.flags import REGISTRY, field_words

COMMANDS = [
    *(("data", name) for name in ("check", "view", "convert", "adopt", "masks")),
    *(("cache", name) for name in ("list", "prune")),
    *((name,) for name in ("demo", "collect", "train-world-model", "inspect", "relabel", "replay", "train-policy")),
    *((name,) for name in ("evaluate", "compare", "report", "serve", "export", "bench")),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_is_made_of_words(command: tuple[str, ...], glam: Glam, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    said = glam(*command, "--help")
    assert said.code == 0
    assert not re.search(r"\{None\}|default: (None|False|''|\))", said.output)
    head = said.output.partition("╭")[0]
    assert not re.search(r"^[^\w\n]", head, re.MULTILINE), "tyro breaks the description before a line without a letter"
    assert not re.search(r"│ --\S+( \S+)? +\((default|required)", said.output), "a flag without words"


def test_words_below_a_field_are_one_line_whatever_the_source() -> None:
    @dataclass(frozen=True)
    class Example:
        """A class."""

        bare: int
        told: int = 0
        """What it is, and
        a second line."""

    assert field_words(Example) == {"told": "What it is, and a second line."}


def test_flags_of_other_classes_are_left_to_tyro() -> None:
    @dataclass(frozen=True)
    class Elsewhere:
        size: Annotated[int, tyro.conf.arg(metavar="PIXELS")] = 3

    assert tyro.cli(Elsewhere, args=["--size", "4"], registry=REGISTRY) == Elsewhere(4)
