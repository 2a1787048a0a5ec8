"""Makes torchvision importable in LeRobot's own environment; to be imported before lerobot.

A torchvision built for CUDA has no operators of its own beside a torch for CPUs, yet refers to two of them while it is
imported.
"""

import torch

operators = torch.library.Library("torchvision", "DEF")
for name in ("nms", "qnms"):
    operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
