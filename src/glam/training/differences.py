"""The first difference between two JSON values, as a sentence."""

from typing import Any

_ABSENT = "nothing"


def first_difference(there: Any, here: Any, where: str) -> str:
    """A sentence such as `fit.steps is 100 there and 200 here`; empty if the values are equal."""
    if isinstance(there, dict) and isinstance(here, dict):
        return _in_mappings(there, here, where)
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        return _first(first_difference(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(there, here, strict=True)))
    # 1 == 1.0 == True for Python; a switch that became a number is still a difference.
    if there == here and isinstance(there, bool) == isinstance(here, bool):
        return ""
    return f"{where} is {there!r} there and {here!r} here"


def _in_mappings(there: dict[str, Any], here: dict[str, Any], where: str) -> str:
    def parts() -> Any:
        for name in sorted(there.keys() | here.keys()):
            place = f"{where}.{name}"
            if name not in there or name not in here:
                yield f"{place} is {there.get(name, _ABSENT)!r} there and {here.get(name, _ABSENT)!r} here"
            else:
                yield first_difference(there[name], here[name], place)

    return _first(parts())


def _first(sentences: Any) -> str:
    return next((sentence for sentence in sentences if sentence), "")
