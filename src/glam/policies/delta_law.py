"""Delta actions that move a robot along a given path, fitted to its labelled episodes.

A delta action says by how much to move. Which of its entries means what is learnt from the labelled episodes: each is
a linear function of one group of steps, such as the three of a tool's position, in one convention for all entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glam.core.geometry import rotation_from_six, vector_from_rotation
from glam.data.normalizer import FLOOR
from glam.data.schema import GRIPPER, POSE_SIZE
from glam.data.windows import EpisodeTable, transitions
from glam.policies.command_law import LEADS, GripperTable, ahead, course, table

Array = NDArray[np.float64]
Steps = Mapping[str, Array]
"""Steps from each frame to the next by the name of their group, (N, m) each."""
Conventions = Mapping[str, Steps]

_NOISE = {3: 1e-4, 1: 1e-3}
"""Steps (m or rad) below which a group of so many columns says nothing; keeps what never moves out of the fit."""


@dataclass(frozen=True, eq=False)
class DeltaEntry:
    """One delta entry: a linear function of a group of steps."""

    group: str
    weights: Array
    """(m,) action units per metre or radian."""


@dataclass(frozen=True, eq=False)
class DeltaLaw:
    """action[t] = weights . (step from frame t + lead - 1 to frame t + lead); grippers by table."""

    convention: str
    lead: int
    entries: dict[int, DeltaEntry]
    """By the entry of an action."""
    tables: dict[int, GripperTable]
    """Absolute entries: by the opening of a hand."""
    low: Array
    """(n_a,): the range of each entry, which no command leaves: as recorded, and alike in both senses for deltas."""
    high: Array

    def raw(self, conventions: Conventions, openings: Mapping[int, Array], episodes: EpisodeTable) -> Array:
        """Commands for every row, also beyond the recorded range; nothing moves after the end. (N, n_a)."""
        steps = conventions[self.convention]
        commands = np.empty((len(episodes.frame_indices), len(self.low)))
        for entry, one in self.entries.items():
            commands[:, entry] = _shifted(steps[one.group], episodes, self.lead) @ one.weights
        for entry, known in self.tables.items():
            commands[:, entry] = known.commands_of(course(openings[entry], episodes, self.lead))
        return commands


def fit(
    conventions: Conventions,
    openings: Mapping[int, Array],
    actions: NDArray[np.float32],
    episodes: EpisodeTable,
    train: EpisodeTable,
) -> DeltaLaw:
    """The law of a robot from its labelled episodes `train`, which are some of `episodes`.

    `openings` has the course of the hand that each absolute entry commands; all other entries are deltas.
    """
    commanded, indices = actions.astype(np.float64), transitions(train)
    deltas = [entry for entry in range(commanded.shape[1]) if entry not in openings]
    spread = np.maximum(commanded[indices].std(0), FLOOR)
    fits = []
    for convention, steps in conventions.items():
        for lead in LEADS:
            moved = {group: _shifted(part, episodes, lead)[indices] for group, part in steps.items()}
            chosen = {entry: _best(moved, commanded[indices, entry]) for entry in deltas}
            wrong = [error / spread[entry] ** 2 for entry, (error, _) in chosen.items()]
            fits.append((float(np.mean(wrong)), lead, convention, {entry: one for entry, (_, one) in chosen.items()}))
    _, lead, convention, entries = min(fits, key=lambda found: found[:2])
    tables = {
        entry: table(course(values, episodes, lead)[indices], commanded[indices, entry])
        for entry, values in openings.items()
    }
    low, high = commanded[indices].min(0), commanded[indices].max(0)
    for entry in deltas:
        high[entry] = max(high[entry], -low[entry])
        low[entry] = -high[entry]
    return DeltaLaw(convention, lead, entries, tables, low, high)


def pose_steps(poses: NDArray[np.float32], arms: Sequence[str]) -> dict[str, dict[str, Array]]:
    """Steps of tools in the world frame and in their own frame, by convention. (N, 10 K).

    The step of the last row, also of an episode, leads nowhere; `fit` and `DeltaLaw` leave it out.
    """
    found: dict[str, dict[str, Array]] = {"world": {}, "tool": {}}
    for number, arm in enumerate(arms):
        hand = poses[:, POSE_SIZE * number : POSE_SIZE * (number + 1)].astype(np.float64)
        rotations = rotation_from_six(hand[:, 3:GRIPPER])
        moves = np.diff(hand[:, :3], axis=0, append=hand[-1:, :3])
        back = rotations.transpose(0, 2, 1)
        twists = np.zeros_like(moves)
        for row in range(len(hand) - 1):
            twists[row] = vector_from_rotation(back[row] @ rotations[row + 1])
        opening = np.diff(hand[:, GRIPPER:], axis=0, append=hand[-1:, GRIPPER:])
        found["world"] |= {f"{arm} position": moves, f"{arm} rotation": _turned(rotations, twists)}
        found["tool"] |= {f"{arm} position": _turned(back, moves), f"{arm} rotation": twists}
        for steps in found.values():
            steps[f"{arm} gripper"] = opening
    return found


def _best(moved: Steps, commanded: Array) -> tuple[float, DeltaEntry]:
    """Mean squared error of the best group, and its fit."""
    fits = []
    for group, steps in moved.items():
        width = steps.shape[1]
        gram = steps.T @ steps + len(steps) * _NOISE[width] ** 2 * np.identity(width)
        weights = np.asarray(np.linalg.solve(gram, steps.T @ commanded), np.float64)
        fits.append((float(((steps @ weights - commanded) ** 2).mean()), DeltaEntry(group, weights)))
    return min(fits, key=lambda found: found[0])


def _shifted(steps: Array, episodes: EpisodeTable, lead: int) -> Array:
    """Steps that begin `lead - 1` frames later; zero where they would leave the episode."""
    indices, after = ahead(episodes, lead - 1), ahead(episodes, lead)
    return np.where((indices == after)[:, None], 0.0, steps[indices])


def _turned(rotations: Array, vectors: Array) -> Array:
    return np.einsum("nij,nj->ni", rotations, vectors)
