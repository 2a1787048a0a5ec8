"""Errors that reach a user. `GlamError` is defined in `glam_client`: one class for robot and server."""

import errno

from glam_client.errors import GlamError as GlamError

_REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "allow larger files",
    errno.EROFS: "make the disk writable",
    errno.EACCES: "change its permissions",
    errno.EPERM: "change its permissions",
    errno.EMFILE: "allow more open files",
    errno.EIO: "look after the disk",
}


USERS_ERRORS = GlamError, OSError, MemoryError
"""Errors that a user can mend: OSError is a full, read-only or failing disk, or a missing permission."""


def sentence(error: Exception) -> str:
    """One sentence about an error that a user can mend."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        remedy = _REMEDIES.get(error.errno or 0, "mend this")
        return f"{where}{error.strerror or error}; nothing that was saved is lost: {remedy} and run the command again"
    if isinstance(error, MemoryError):
        return "not enough memory; free some, or give smaller sizes"
    return str(error)


class Terminated(KeyboardInterrupt):
    """End of a command by SIGTERM, as a scheduler of jobs sends it."""


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
