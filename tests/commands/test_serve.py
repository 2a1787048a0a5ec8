"""`glam serve` with what cannot work: one sentence, exit code 2."""

import socket
from pathlib import Path

import pytest
from tests.typed import Glam

from glam.commands.serve import Serve


@pytest.fixture
def refused(glam: Glam, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> str:
        said = glam("serve", *words)
        assert said.code == 2
        (line,) = said.error.strip().splitlines()
        return line

    return run


def test_no_policy(refused, tmp_path: Path) -> None:
    assert refused("--policy", "nowhere", "--port", 0).startswith("glam: nowhere")


def test_a_port_in_use(refused) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"--port {port}: cannot listen there (Address already in use)" in refused(
            "--policy", "x", "--port", port
        )


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "1e9"])
def test_a_ping_timeout_that_makes_no_sense(refused, seconds: str) -> None:
    assert "--ping-timeout" in refused("--policy", "x", "--port", 0, "--ping-timeout", seconds)


def test_other_machines_without_a_token(refused) -> None:
    assert "--token-file must be given too" in refused("--policy", "x", "--host", "0.0.0.0", "--port", 0)


def test_a_token_that_everybody_can_read(refused, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("correct-horse-battery")
    (tmp_path / "token").chmod(0o644)
    assert "run chmod 600 token" in refused("--policy", "x", "--token-file", "token")


def test_a_server_outlives_whoever_reads_its_output(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_pipe(line: str) -> None:
        raise SystemExit(1)  # what a console does then

    said: list[str] = []

    def serve(policy, host, port, token_file, ping_timeout, say) -> None:
        say("a robot came")
        said.append("still here")

    monkeypatch.setattr("glam.commands.serve.say", broken_pipe)
    monkeypatch.setattr("glam.stages.serve.serve", serve)
    assert Serve(Path("run")).run() == 0
    assert said == ["still here"]
