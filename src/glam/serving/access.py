"""Who may ask a policy: this machine alone, or whoever knows the token."""

import hmac
import ipaddress
import os
import socket
from pathlib import Path

from glam.core.errors import GlamError

NO_TOKEN = ""
_LEAST, _MOST = 16, 1024
"""Letters of a token."""
_SCHEME = "Bearer "
_BACKLOG = 64


def read_token(path: Path) -> str:
    """The token in a file that only its owner may read."""
    try:
        if path.stat().st_mode & 0o077:
            raise GlamError(f"--token-file {path}: others may read it; run chmod 600 {path}")
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise GlamError(f"--token-file {path}: cannot be read ({error})") from None
    if not _LEAST <= len(token) <= _MOST or not token.isprintable() or " " in token:
        raise GlamError(f"--token-file {path}: must hold one word of {_LEAST} to {_MOST} letters and digits")
    return token


def header(token: str) -> dict[str, str]:
    """What a robot says in the opening handshake."""
    return {"Authorization": _SCHEME + token} if token else {}


def is_known(said: str, token: str) -> bool:
    """Whether the header of a handshake holds the token; takes the same time however much of it is right."""
    given = said.removeprefix(_SCHEME) if said.startswith(_SCHEME) else ""
    return token == NO_TOKEN or hmac.compare_digest(given.encode(errors="replace"), token.encode())


def listen(host: str, port: int, token: str) -> socket.socket:
    """A socket that listens there; beyond this machine only with a token."""
    if not 0 <= port <= 65535:
        raise GlamError(f"--port {port} must be from 0 to 65535; 0 is any free port")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise GlamError(f"--host {host}: no such address; give one of this machine, such as 127.0.0.1") from None
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback and token == NO_TOKEN:
        raise GlamError(f"--host {host}: other machines can reach it, so --token-file must be given too")
    try:
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        raise GlamError(
            f"--host {host} --port {port}: cannot listen there ({os.strerror(error.errno or 0)}); choose another"
        ) from None
