"""Errors that reach a user. `GlamError` is defined in `glam_client`: one class for robot and server."""

from glam_client.errors import GlamError as GlamError


class InterruptedRun(KeyboardInterrupt):
    """End of a run by a signal, after it saved its work. Not an error: it passes where errors are caught."""

    def __init__(self, signal: int, saved: str) -> None:
        super().__init__(saved)
        self.code = 128 + signal
        """Exit code of a process that ends by this signal."""


class UnknownNameError(GlamError):
    """A name that is not in a registry."""

    def __init__(self, kind: str, name: str, known: list[str] | tuple[str, ...]) -> None:
        super().__init__(f"no {kind} {name!r}; choose one of {', '.join(sorted(known))}")
        self._parts = kind, name, known

    def __reduce__(self) -> tuple[type["UnknownNameError"], tuple[str, str, list[str] | tuple[str, ...]]]:
        """Errors cross from worker processes to their parent, and are built anew there."""
        return UnknownNameError, self._parts
