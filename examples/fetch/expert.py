"""A scripted demonstrator: over the block, down, grasp, to the goal. No two episodes have the same speed or wobble."""

from dataclasses import dataclass

import numpy as np
from world import STEPS, FetchWorld

_ABOVE = np.array([0.0, 0.0, 0.1])
_NEAR, _OVER = 0.012, 0.03
"""Metres from the place to grasp, and from the axis above it."""
_GRASPING_STEPS = 4
_HELD_STEPS = 15
"""Steps at the goal after which an episode ends: a policy has to be shown that it stops there."""
OPEN, CLOSED = 1.0, -1.0


@dataclass
class Expert:
    """Acts by what it knows of the world, which no policy does."""

    generator: np.random.Generator
    grasping: int = 0

    def __post_init__(self) -> None:
        self.gain = self.generator.uniform(3.0, 5.0)
        self.wobble = self.generator.uniform(0.02, 0.08)

    def act(self, world: FetchWorld) -> np.ndarray:
        """Displacement of the hand in units of 5 cm, and the fingers. (4,)."""
        place, fingers = self._aim(world)
        move = self.gain * (place - world.hand) + self.generator.normal(0.0, self.wobble, 3)
        return np.clip([*move, fingers], -1.0, 1.0).astype(np.float32)

    def _aim(self, world: FetchWorld) -> tuple[np.ndarray, float]:
        off = world.block - world.hand
        if self.grasping >= _GRASPING_STEPS:
            return world.goal + world.hand - world.block, CLOSED
        if self.grasping or np.linalg.norm(off) < _NEAR:
            self.grasping += 1
            return world.block, CLOSED
        return world.block + (0.0 if np.linalg.norm(off[:2]) < _OVER else _ABOVE), OPEN


def demonstrate(world: FetchWorld, seed: int) -> list[dict[str, np.ndarray]]:
    """Rows of one episode; empty when it did not succeed."""
    world.reset(seed)
    expert, rows, held = Expert(np.random.default_rng(seed)), [], 0
    while len(rows) < STEPS and held < _HELD_STEPS:
        action = expert.act(world)
        rows.append({"pose": world.pose(), "state": world.state(), "action": action, **world.images()})
        world.step(action)
        held = held + 1 if world.is_success else 0
    return rows if held == _HELD_STEPS else []
