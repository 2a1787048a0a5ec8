"""What the reader of a record must know to compare its figures with others."""

import os
import platform
from importlib.metadata import version
from typing import Any


def conditions(*packages: str) -> dict[str, Any]:
    """The machine, and the versions of GLAM and of the packages that matter to the figures."""
    return {
        "machine": {
            "cores": os.cpu_count(),
            "processor": platform.machine(),
            "python": platform.python_version(),
            "load_average": round(os.getloadavg()[0], 1),
        },
        "versions": {name: version(name) for name in ("glam-robot", *packages)},
    }
