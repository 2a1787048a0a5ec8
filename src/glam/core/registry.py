"""Named parts of the software, imported when they are asked for: a command lists them without loading torch."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from glam.core.errors import UnknownNameError


class RegistryEntry(NamedTuple):
    """One registered definition."""

    location: str
    """Module and name, such as `glam.policies.heads.mip:MipConfig`."""
    summary: str
    """One line for help texts."""


class Registry(Mapping[str, Any]):
    """Definitions by name. To register one, add its entry to `entries`."""

    def __init__(self, what: str, entries: Mapping[str, RegistryEntry]) -> None:
        self.what = what
        """The common noun for the entries, used in errors."""
        self.entries = dict(entries)

    def __getitem__(self, name: str) -> Any:
        module, _, attribute = self.entries[name].location.partition(":")
        return getattr(import_module(module), attribute)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def find(self, name: str) -> Any:
        """The definition of that name; an unknown one is refused with the names there are."""
        if name not in self:
            raise UnknownNameError(self.what, name, list(self))
        return self[name]

    @property
    def help(self) -> str:
        """A line for each entry."""
        return "\n".join(f"{name}: {entry.summary}" for name, entry in self.entries.items())

    @property
    def choices(self) -> str:
        """All entries in one line: `a (this) or b (that)`."""
        return one_of([f"{name} ({entry.summary})" for name, entry in self.entries.items()])


def one_of(choices: Sequence[str]) -> str:
    """A choice in words: `a, b or c`."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last
