from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.serving.access import NO_TOKEN, header, is_known, listen, read_token

TOKEN = "correct-horse-battery"


def token_file(path: Path, text: str = TOKEN + "\n", mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_token_is_the_word_in_the_file(tmp_path: Path) -> None:
    assert read_token(token_file(tmp_path / "token")) == TOKEN


@pytest.mark.parametrize(
    ("text", "mode", "sentence"),
    [
        (TOKEN, 0o644, "others may read it; run chmod 600"),
        ("short", 0o600, "one word of 16 to 1024"),
        ("two words are too many", 0o600, "one word"),
        ("", 0o600, "one word"),
        ("größer-als-sechzehn", 0o600, "cannot be read"),
    ],
)
def test_a_bad_token_file_is_refused(text: str, mode: int, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=f"--token-file .*{sentence}"):
        read_token(token_file(tmp_path / "token", text, mode))


def test_a_missing_token_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=r"--token-file .*/token: cannot be read"):
        read_token(tmp_path / "token")


@pytest.mark.parametrize("said", ["", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN])
def test_only_the_whole_token_opens(said: str) -> None:
    assert is_known(header(TOKEN)["Authorization"], TOKEN)
    assert not is_known(said, TOKEN)


def test_without_a_token_everybody_on_this_machine_may_ask() -> None:
    assert is_known("", NO_TOKEN)
    assert header(NO_TOKEN) == {}


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
