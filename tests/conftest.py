"""Every test runs single-threaded and in a closed network, renders without a display, and is repeatable.

Set before numpy, MuJoCo and the libraries of the Hub load.
"""

import os
import sys
from ipaddress import ip_address
from pathlib import Path

for threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")
os.environ["HF_HUB_OFFLINE"] = "1"  # no test asks the network, which may answer or not

import pytest
from hypothesis import settings
from tests.typed import Glam, Said

from glam.cli import main
from glam.sim.gl import choose_backend

TESTS = Path(__file__).parent
LOOK_UPS = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
LOCAL = {None, "", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"}
pytest_plugins = ["tests.browser"]

choose_backend()

# The same examples in every run, and no deadline: a shared machine may pause at any moment.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=100, database=None)
settings.load_profile("repeatable")


def close_network(event: str, arguments: tuple[object, ...]) -> None:
    """Let no code of a test reach beyond this machine, whichever library asks."""
    if event in LOOK_UPS or event == "socket.connect":
        target = arguments[0] if event in LOOK_UPS else arguments[1]
        host = target[0] if isinstance(target, tuple) else target if event in LOOK_UPS else None
        assert host in LOCAL or (event in LOOK_UPS and _is_numeric(host)), f"{event} asks the network for {host!r}"


def _is_numeric(host: object) -> bool:
    """Return true for an address in numbers, which nobody has to be asked for."""
    try:
        return bool(ip_address(str(host)))
    except ValueError:
        return False


sys.addaudithook(close_network)


SHARING = ("bench", "stages")
"""Folders in which the tests of all files share what takes long to make."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give the tests of a file, or of such a folder, to one worker, so that two workers do not make the same twice."""
    for item in items:
        path = item.path.relative_to(TESTS)
        item.add_marker(pytest.mark.xdist_group(path.parts[0] if path.parts[0] in SHARING else str(path)))


@pytest.fixture(autouse=True)
def _denormal_numbers_come_back():
    """A training command flushes them for its whole process, which here goes on to other tests."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory):
    """Decoded frames of tests are not the user's affair."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLAM_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def glam(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Glam:
    """Run `glam WORDS`."""

    def run(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["glam", *map(str, words)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        return Said(stop.value.code, *capfd.readouterr())

    return run
