"""Differences between two JSON values, such as the config of a run and the config on the command line."""

from collections.abc import Iterator
from typing import Any, NamedTuple

ABSENT = "nothing"
"""Value of an entry that one side does not have."""


class Difference(NamedTuple):
    """One entry that differs."""

    where: str
    """Path of the entry, such as `fit.steps` or `cameras[1]`."""
    there: Any
    here: Any


def differences(there: Any, here: Any, where: str = "") -> Iterator[Difference]:
    """Every entry that differs, in a stable order. Lists of different lengths count as one entry."""
    if isinstance(there, dict) and isinstance(here, dict):
        for name in sorted(there.keys() | here.keys()):
            place = f"{where}.{name}" if where else name
            if name in there and name in here:
                yield from differences(there[name], here[name], place)
            else:
                yield Difference(place, there.get(name, ABSENT), here.get(name, ABSENT))
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for number, (old, new) in enumerate(zip(there, here, strict=True)):
            yield from differences(old, new, f"{where}[{number}]")
    # 1 == 1.0 == True for Python; a switch that became a number is still a difference.
    elif there != here or isinstance(there, bool) != isinstance(here, bool):
        yield Difference(where, there, here)


def first_difference(there: Any, here: Any, where: str) -> str:
    """Sentence about the first difference, such as `fit.steps is 100 there and 200 here`; empty when there is none."""
    for difference in differences(there, here, where):
        return f"{difference.where} is {difference.there!r} there and {difference.here!r} here"
    return ""
