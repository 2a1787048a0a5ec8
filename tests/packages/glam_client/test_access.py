from pathlib import Path

import pytest

from glam_client.access import NO_TOKEN, authorization, is_authorized, read_token
from glam_client.errors import GlamError

TOKEN = "correct-horse-battery"


def token_file(path: Path, text: str = TOKEN + "\n", mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_token_is_the_content_of_the_file(tmp_path: Path) -> None:
    assert read_token(token_file(tmp_path / "token")) == TOKEN


@pytest.mark.parametrize(
    ("text", "mode", "sentence"),
    [
        (TOKEN, 0o644, "other users can read it; run chmod 600"),
        ("short", 0o600, "one token of 16 to 1024"),
        ("two words are not a token", 0o600, "one token"),
        ("", 0o600, "one token"),
        ("größer-als-sechzehn", 0o600, "cannot be read"),
    ],
)
def test_a_bad_token_file_is_refused(text: str, mode: int, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=f"--token-file .*{sentence}"):
        read_token(token_file(tmp_path / "token", text, mode))


def test_a_missing_token_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=r"--token-file .*/token: cannot be read"):
        read_token(tmp_path / "token")


@pytest.mark.parametrize("header", ["", "Bearer", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN])
def test_only_the_whole_token_opens(header: str) -> None:
    assert is_authorized(authorization(TOKEN)["Authorization"], TOKEN)
    assert not is_authorized(header, TOKEN)


def test_without_a_token_everybody_on_this_machine_may_ask() -> None:
    assert is_authorized("", NO_TOKEN)
    assert authorization(NO_TOKEN) == {}
