"""Contract with the real LeRobot library; run by `tools/test_lerobot.sh`, passed over where it is not installed.

`RECORD=FILE` notes the outcome in a JSON file, by the version of LeRobot.
"""

import importlib.util
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

HAS_LEROBOT = importlib.util.find_spec("lerobot") is not None
collect_ignore_glob = [] if HAS_LEROBOT else ["test_*.py"]
NOTED = ("torch", "torchvision", "torchcodec", "datasets", "huggingface-hub", "av", "numpy")

if HAS_LEROBOT and "torchvision" not in sys.modules:
    import torch

    # Beside a torch for processors, a torchvision built for CUDA cannot load its operators, yet refers to these two
    # while it is imported. Beside a torch for CUDA it defines them itself, and must not find them.
    if torch.version.cuda is None:
        operators = torch.library.Library("torchvision", "DEF")
        for name in ("nms", "qnms"):
            operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


def pytest_terminal_summary(terminalreporter):
    if not (HAS_LEROBOT and os.environ.get("RECORD")):
        return
    stats = terminalreporter.stats
    outcome = {kind: len(stats.get(kind, ())) for kind in ("passed", "failed", "error", "skipped")}
    outcome["not_passed"] = sorted(report.nodeid for kind in ("failed", "error") for report in stats.get(kind, ()))
    outcome |= {"python": platform.python_version(), "versions": {name: version(name) for name in NOTED}}
    path = Path(os.environ["RECORD"])
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | {version("lerobot"): outcome}, indent=2, sort_keys=True) + "\n")
