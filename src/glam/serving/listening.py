"""The socket that a policy server listens on. Other machines can reach it only if there is a token."""

import ipaddress
import os
import socket

from glam.core.errors import GlamError
from glam_client.access import NO_TOKEN

_BACKLOG = 64


def listen(host: str, port: int, token: str) -> socket.socket:
    """Open a listening socket; an address that other machines can reach needs a token."""
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
