"""Figures about datasets: the contract with the real LeRobot library, planted faults, speed of the cache."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from cache import window_speed

from glam.core.errors import GlamError
from glam.data.check.finding import KINDS

ROOT = Path(__file__).parents[1]


def windows_from_cache() -> dict[str, Any]:
    """Random windows from the decoded cache against the real LeRobotDataset, in one run."""
    return window_speed()


def contract_with_lerobot() -> dict[str, Any]:
    """Sets exchanged with the real library in both directions."""
    return outcome(["bash", "tools/test_lerobot.sh", "-q"])


def planted_faults() -> dict[str, Any]:
    """Every planted fault found, healthy sets silent: the tests of the checker, and the kinds of fault it knows."""
    return outcome([sys.executable, "-m", "pytest", "-q", "tests/data/check"]) | {"kinds_of_fault": len(KINDS)}


def outcome(command: list[str]) -> dict[str, Any]:
    """Numbers of tests of a command that passed and failed."""
    shown = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", shown.stdout)}
    if not counts.get("passed"):
        raise GlamError(f"{' '.join(command)}: no test passed: {shown.stdout[-1000:]}{shown.stderr[-1000:]}")
    return {"passed": counts.get("passed", 0), "failed": counts.get("failed", 0) + counts.get("error", 0)}
