"""Flags that a command line must not hold: names of version 0.1, and a flag given twice where it takes a list."""

from collections.abc import Iterator, Sequence

from glam.core.errors import GlamError

RENAMED = {
    "--scale": "--preset",  # old word
    "--execute": "--n-action-steps",  # old word
    "--memory": "--temporal-ensemble-weight",  # old word
    "--eyes": "--encoder",  # old word
    "--eyes-training": "--encoder-training",  # old word
    "--eyes-weights": "--encoder-weights",  # old word
    "--eyes-sha256": "--encoder-sha256",  # old word
    "--robot": "--embodiment",  # old word
    "--from": "--format",
    "--missing": "--skip-recorded",
}
"""New name of each flag of version 0.1 that has another one now."""
REPEATABLE = {"--set", "--map", "--object", "--tool-frame"}
"""Flags that are given once for each value, since a value is a pair such as NAME=VALUE."""


def check_flags(words: Sequence[str]) -> None:
    """Refuse renamed flags, and flags given twice: the parser would drop all but the last without a word."""
    given = list(_flags(words))
    for flag in given:
        if flag in RENAMED:
            raise GlamError(f"{flag}: this flag is called {RENAMED[flag]} since version 0.2")
        if given.count(flag) > 1 and flag not in REPEATABLE:
            raise GlamError(f"{flag}: given {given.count(flag)} times; give it once, with all its values: {flag} A B")


def _flags(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if word == "--":
            return
        if word.startswith("--"):
            yield word.partition("=")[0].replace("_", "-")
