"""Access token: the shared secret that a robot must send to a policy server."""

import hmac
from pathlib import Path

from glam_client.errors import GlamError

NO_TOKEN = ""
_SHORTEST, _LONGEST = 16, 1024
"""Characters of a token."""
_SCHEME = "Bearer "


def read_token(path: Path) -> str:
    """Read a token from a file that only its owner may read."""
    try:
        if path.stat().st_mode & 0o077:
            raise GlamError(f"--token-file {path}: other users can read it; run chmod 600 {path}")
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise GlamError(f"--token-file {path}: cannot be read ({error})") from None
    if not _SHORTEST <= len(token) <= _LONGEST or not token.isprintable() or " " in token:
        raise GlamError(
            f"--token-file {path}: must hold one token of {_SHORTEST} to {_LONGEST} ASCII characters without spaces"
        )
    return token


def authorization(token: str) -> dict[str, str]:
    """Headers that a robot adds to the opening handshake."""
    return {"Authorization": _SCHEME + token} if token else {}


def is_authorized(header: str, token: str) -> bool:
    """Check the `Authorization` header of a handshake, in a time that does not depend on how much of it is right."""
    given = header.removeprefix(_SCHEME) if header.startswith(_SCHEME) else ""
    return token == NO_TOKEN or hmac.compare_digest(given.encode(errors="replace"), token.encode())
