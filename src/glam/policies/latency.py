"""Latency of a policy: the time from a robot's observation to a chunk of actions."""

import time

import numpy as np

from glam.policies.trained import TrainedPolicy

_WARM_UP = 5


def call_milliseconds(policy: TrainedPolicy, calls: int = 50, pixels: int = 128) -> list[float]:
    """Duration of each of some calls with one observation, in milliseconds, once the policy is warm.

    A call includes resizing the images. Observations are random numbers, which cost as much as any others.
    """
    random = np.random.default_rng(0)
    views = len(policy.interface.cameras)
    images = random.integers(0, 256, (1, views, pixels, pixels, 3), dtype=np.uint8)
    poses = random.standard_normal((1, len(policy.normalizer.pose.mean)), dtype=np.float32)
    states = random.standard_normal((1, len(policy.interface.state_names)), dtype=np.float32)
    durations = []
    for _ in range(_WARM_UP + calls):
        begin = time.perf_counter()
        policy.act(images, poses, states)
        durations.append(1e3 * (time.perf_counter() - begin))
    return durations[_WARM_UP:]
