"""A real browser to look at pages, where one is installed: a plugin of the test suite."""

import base64
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
    "--remote-debugging-pipe",
)
SETPRIV = shutil.which("setpriv")
# As root, Chromium gives itself real-time priority: a page that is busy would then stop the whole machine.
MODESTLY = (SETPRIV, "--bounding-set=-sys_nice", "--inh-caps=-sys_nice") if SETPRIV and os.geteuid() == 0 else ()


class Browser:
    """Chromium by its debugging pipe: messages are JSON ended by a zero byte, on descriptors 3 and 4."""

    def __init__(self, profile: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        def connect() -> None:
            spare = [os.dup(theirs_in), os.dup(theirs_out)]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self._process = subprocess.Popen(
            [*MODESTLY, CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
            preexec_fn=connect,  # noqa: PLW1509  it only duplicates two descriptors
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._numbers, self._buffer, self.events = itertools.count(1), b"", []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: object) -> dict:
        return self._call(method, sessionId=self._session, **parameters)

    def open(self, page: Path, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        self.events.clear()
        is_phone = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.run("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))")
        self.run("new Promise(done => setTimeout(done, 100))")

    def run(self, script: str) -> object:
        """Value of a JavaScript expression, awaited."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def complaints(self) -> list[dict]:
        """Everything that the console of the browser shows."""
        noisy = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
        return [event for event in self.events if event["method"] in noisy]

    def requests(self) -> list[str]:
        """Addresses that the page asked for, the page itself and what it carries within aside."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        addresses = [event["params"]["request"]["url"] for event in sent]
        return [address for address in addresses[1:] if not address.startswith("data:")]

    def screenshot(self, out: Path) -> None:
        content = self.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"]
        out.write_bytes(base64.b64decode(content))

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)  # with all its children, which are no concern of other tests
        self._process.wait(timeout=20)
        os.close(self._in)
        os.close(self._out)

    def _call(self, method: str, sessionId: str = "", **parameters: object) -> dict:  # noqa: N803  the protocol's name
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        message |= {"sessionId": sessionId} if sessionId else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def _receive(self, deadline: float) -> dict:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], deadline - time.monotonic())
            received = os.read(self._in, 1 << 20) if ready else b""
            assert received, "the browser does not answer"
            self._buffer += received
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory):
    """A running Chromium, no longer than it is looked at; the test is passed over where none is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()
