"""No test reaches the network, and so no command that one types without asking for it."""

import socket

import pytest


def test_a_name_is_not_looked_up() -> None:
    with pytest.raises(AssertionError, match="asks the network for 'example"):
        socket.getaddrinfo("example.org", 443)


def test_no_other_machine_is_connected_to() -> None:
    with socket.socket() as one, pytest.raises(AssertionError, match="asks the network for '192"):
        one.connect(("192.0.2.1", 443))


def test_this_machine_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
