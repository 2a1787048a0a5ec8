"""Joint angles that put a tool at a pose, by damped least squares with a pull towards a preferred posture.

Of all angles that reach a pose, the solver seeks those nearest to the preferred posture. A redundant arm then takes
nearly the same angles whenever its tool is at the same pose, whatever path led there, so that joint commands are a
single-valued function of the tool pose and can be learnt.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import UnknownNameError

Array = NDArray[np.float64]

_LONGEST_STEP = 1.0  # rad in one iteration; beyond it the Jacobian says little
_NEAR = 1e-2  # squared error (m^2) above which the posture has to wait for the tool


@dataclass(frozen=True)
class SolverConfig:
    """When to stop, and how to trade the parts of the problem."""

    position_tolerance: float = 2e-4
    """Metres."""
    rotation_tolerance: float = 1e-3
    """Radians."""
    posture_tolerance: float = 5e-3
    """Length of a step along the self-motion, in radians, that is not worth taking."""
    iterations: int = 30
    restarts: int = 10
    """Further starting points of `search`."""
    lever: float = 0.3
    """Metres of position error that weigh as much as one radian of rotation error."""
    max_step: float = np.inf
    """Largest change of any joint in one call of `solve`, in radians; a longer move is shortened as a whole."""


_USUAL = SolverConfig()


class InverseKinematics:
    """Solves for one arm. Results depend on the arguments alone, so equal calls give equal bits."""

    def __init__(
        self,
        model: mujoco.MjModel,
        site: str,
        joints: Sequence[str],
        posture: Array,
        config: SolverConfig = _USUAL,
    ) -> None:
        """Bind to an arm.

        Args:
            model: holds the arm, and anything else, which stays at its default place.
            site: the tool point.
            joints: hinges from base to tool; limits are those of the model, hinges without limits turn freely.
            posture: preferred angles, one per joint (rad). Choose one that holds the tool about as the task does:
                from a posture far from the poses asked for, some poses are reached with the wrist turned over.
            config: see `SolverConfig`.
        """
        self._model, self._config = model, config
        self._data = mujoco.MjData(model)
        self._site = _index(model, mujoco.mjtObj.mjOBJ_SITE, site)
        ids = [_index(model, mujoco.mjtObj.mjOBJ_JOINT, joint) for joint in joints]
        self._qpos, self._dofs = model.jnt_qposadr[ids], model.jnt_dofadr[ids]
        is_limited = model.jnt_limited[ids].astype(bool)
        self._lower = np.where(is_limited, model.jnt_range[ids, 0], -np.inf)
        self._upper = np.where(is_limited, model.jnt_range[ids, 1], np.inf)
        self._posture = np.clip(np.asarray(posture, dtype=float), self._lower, self._upper)
        self._jacobian = np.zeros((6, model.nv))
        self._starts = self._starting_points()

    def solve(self, position: Array, rotation: Array, start: Array) -> Array:
        """Angles that take the tool to the pose, near `start`; the nearest found when the pose is out of reach.

        Args:
            position: of the tool site in the world (m).
            rotation: matrix of the tool site in the world.
            start: angles to begin from, such as the last command; small moves of the tool give small moves of joints.
        """
        start = np.asarray(start, dtype=float)
        return self._shortened(self._descend(position, rotation, start)[0], start)

    def search(self, position: Array, rotation: Array) -> Array:
        """Angles for a pose without any idea of a start: of several solutions the one nearest to the posture.

        Slower than `solve` by the number of restarts. The nearest found when the pose is out of reach.
        """
        found = [self._descend(position, rotation, start) for start in self._starts]
        reached = [q for q, twist in found if self._is_reached(twist)]
        if reached:
            return min(reached, key=lambda q: float(np.linalg.norm(q - self._posture)))
        return min(found, key=lambda pair: float(np.linalg.norm(pair[1])))[0]

    def error(self, q: Array, position: Array, rotation: Array) -> tuple[float, float]:
        """Distance (m) and angle (rad) between the tool at angles `q` and the pose."""
        twist = self._twist(np.asarray(q, dtype=float), position, _quaternion(rotation))
        return float(np.linalg.norm(twist[:3])), float(np.linalg.norm(twist[3:])) / self._config.lever

    def _descend(self, position: Array, rotation: Array, start: Array) -> tuple[Array, Array]:
        """The last angles that reach the pose, or else the best met on the way, and the twist they leave."""
        if not np.isfinite(np.sum(position) + np.sum(rotation) + np.sum(start)):
            raise ValueError(f"non-finite pose or start: {position}, {rotation}, {start}")
        quaternion = _quaternion(rotation)
        q = np.clip(start, self._lower, self._upper)
        best, rest, least = q, np.full(6, np.inf), np.inf
        for _ in range(self._config.iterations):
            twist = self._twist(q, position, quaternion)
            error = float(twist @ twist)
            is_reached = self._is_reached(twist)
            if is_reached or error < least:
                best, rest, least = q, twist, error
            step = self._step(q, twist)
            if is_reached and float(np.abs(step).max()) < self._config.posture_tolerance:
                break
            q = q + step
        return best, rest

    def _twist(self, q: Array, position: Array, quaternion: Array) -> Array:
        """Missing translation (m) and rotation (rad times lever) in the world frame; leaves the arm at `q`."""
        data = self._data
        data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, data)
        matrix = data.site_xmat[self._site]
        current, turn = np.empty(4), np.empty(3)
        mujoco.mju_mat2Quat(current, matrix)
        mujoco.mju_subQuat(turn, quaternion, current)  # in the frame of the tool
        twist = np.empty(6)
        twist[:3] = position - data.site_xpos[self._site]
        twist[3:] = self._config.lever * (matrix.reshape(3, 3) @ turn)
        return twist

    def _step(self, q: Array, twist: Array) -> Array:
        """Change of angles from where `_twist` left the arm, kept within the limits."""
        jacobian = self._tool_jacobian()
        wish = self._posture - q
        step = _damped_step(jacobian, twist, wish)
        blocked = (q + step < self._lower) | (q + step > self._upper)
        if blocked.any():  # the other joints must do without those that would pass their limits
            held = np.where(blocked, np.clip(q + step, self._lower, self._upper) - q, 0.0)
            free = np.where(blocked, 0.0, jacobian)
            step = np.where(blocked, held, _damped_step(free, twist - jacobian @ held, np.where(blocked, 0.0, wish)))
            step = np.clip(q + step, self._lower, self._upper) - q
        return step

    def _tool_jacobian(self) -> Array:
        """(6, joints), rotation rows times lever."""
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_jacSite(self._model, self._data, self._jacobian[:3], self._jacobian[3:], self._site)
        jacobian: Array = self._jacobian[:, self._dofs]
        jacobian[3:] *= self._config.lever
        return jacobian

    def _is_reached(self, twist: Array) -> bool:
        position, rotation = self._config.position_tolerance, self._config.rotation_tolerance * self._config.lever
        return bool(twist[:3] @ twist[:3] < position**2 and twist[3:] @ twist[3:] < rotation**2)

    def _shortened(self, q: Array, start: Array) -> Array:
        longest = float(np.abs(q - start).max())
        return q if longest <= self._config.max_step else start + (q - start) * (self._config.max_step / longest)

    def _starting_points(self) -> list[Array]:
        """The posture, then fixed pseudo-random angles within the limits and half a turn of the posture."""
        low, high = np.maximum(self._lower, self._posture - np.pi), np.minimum(self._upper, self._posture + np.pi)
        draws = np.random.default_rng(0).uniform(low, high, (self._config.restarts, len(low)))
        return [self._posture, *draws]


def _damped_step(jacobian: Array, twist: Array, wish: Array) -> Array:
    """The damped least-squares step for `twist`, with `wish` in its null space.

    Damping in proportion to the squared error (T. Sugihara, IEEE Transactions on Robotics 27(5), 2011) is strong far
    from the goal, where the linear model is poor, and vanishes at it, where convergence becomes quadratic.
    """
    error = float(twist @ twist)
    wish = wish / (1.0 + error / _NEAR)
    gram = jacobian @ jacobian.T
    gram.flat[::7] += 0.05 * error + 1e-6
    step: Array = wish + jacobian.T @ np.linalg.solve(gram, twist - jacobian @ wish)
    longest = float(np.abs(step).max())
    return step if longest <= _LONGEST_STEP else step * (_LONGEST_STEP / longest)


def _quaternion(rotation: Array) -> Array:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation, dtype=float).ravel())
    return quaternion


def _index(model: mujoco.MjModel, kind: mujoco.mjtObj, name: str) -> int:
    index = mujoco.mj_name2id(model, kind, name)
    if index < 0:
        counts = {mujoco.mjtObj.mjOBJ_SITE: model.nsite, mujoco.mjtObj.mjOBJ_JOINT: model.njnt}
        known = [mujoco.mj_id2name(model, kind, i) for i in range(counts[kind])]
        raise UnknownNameError(kind.name.removeprefix("mjOBJ_").lower(), name, [label for label in known if label])
    return int(index)
