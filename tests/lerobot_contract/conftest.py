"""Contract with the real LeRobot library; run by `tools/test_lerobot.sh`, passed over where it is not installed."""

import importlib.util
import sys

HAS_LEROBOT = importlib.util.find_spec("lerobot") is not None
collect_ignore_glob = [] if HAS_LEROBOT else ["test_*.py"]

if HAS_LEROBOT and "torchvision" not in sys.modules:
    import torch

    # A torchvision built for CUDA has no CPU operators, yet refers to these two while it is imported.
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
