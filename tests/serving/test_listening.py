import pytest

from glam.core.errors import GlamError
from glam.serving.server import listen
from glam_client.access import NO_TOKEN

TOKEN = "correct-horse-battery"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_needs_no_token(host: str) -> None:
    with listen(host, 0, NO_TOKEN) as listener:
        assert listener.getsockname()[1] > 0


def test_other_machines_need_a_token() -> None:
    with pytest.raises(GlamError, match=r"--host 0\.0\.0\.0: other machines can reach it, so --token-file must"):
        listen("0.0.0.0", 0, NO_TOKEN)
    with listen("0.0.0.0", 0, TOKEN) as listener:
        assert listener.getsockname()[0] == "0.0.0.0"


def test_a_port_in_use_is_refused() -> None:
    with listen("127.0.0.1", 0, NO_TOKEN) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(GlamError, match=rf"--port {port}: cannot listen there \(.*in use\); choose another"):
            listen("127.0.0.1", port, NO_TOKEN)


@pytest.mark.parametrize(
    ("host", "port", "sentence"),
    [
        ("127.0.0.1", 70000, "--port 70000 must be from 0 to 65535"),
        ("127.0.0.1", -1, "--port -1"),
        ("203.0.113.7", 0, "--host 203.0.113.7 --port 0: cannot listen there"),
        ("a..b", 0, "--host a..b: no such address"),
    ],
)
def test_a_bad_address_is_refused(host: str, port: int, sentence: str) -> None:
    with pytest.raises(GlamError, match=sentence):
        listen(host, port, TOKEN)
