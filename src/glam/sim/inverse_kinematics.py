r"""Inverse kinematics of one arm by damped least squares, within joint limits and near a preferred posture.

Frames: W is the world, T the tool (a site of the model), T* the target pose of the tool in W. With joint angles q
(rad), tool position p(q) (m) and tool rotation R(q), both in W, the error in W is

    e(q) = [ p* - p(q) ;  l R(q) log(R(q)^T R*) ]        (6 numbers, in metres)

where log gives the rotation vector from T to T*, in T, and the lever l (m) weighs rotation against position. J(q) is
the geometric Jacobian of T in W, (6, n), its rotation rows times l. Every iteration adds to q

    dq = argmin |J dq - e|^2 + d |dq - w|^2  =  w + J^T (J J^T + d I)^-1 (e - J w)

with the damping d = 0.05 |e|^2 + 1e-6 (m^2) and the pull w = (q0 - q) / (1 + |e|^2 / 0.01 m^2) to the posture q0. Near
the target d is tiny, so w acts in the null space of J alone. Joints that dq would take past a limit stop at it, and
the other joints are solved for again without them.

The pull makes a redundant arm take nearly the same angles whenever its tool is at the same pose, whatever path led
there. Joint commands are then a function of the tool pose, and can be learnt. docs/worlds.md compares speed and success
with mink.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import UnknownNameError

Array = NDArray[np.float64]

_LONGEST_STEP = 1.0  # rad in one iteration; the linear model is poor beyond it
_NEAR = 1e-2  # squared error (m^2) at which the pull to the posture is halved


@dataclass(frozen=True)
class SolverConfig:
    """Tolerances, iterations and weights of the solver."""

    position_tolerance: float = 2e-4
    """Metres."""
    rotation_tolerance: float = 1e-3
    """Radians."""
    posture_tolerance: float = 5e-3
    """The solver stops when the pose is reached and no joint would move by more than this, in radians."""
    iterations: int = 30
    restarts: int = 10
    """Starting points of `search` besides the posture."""
    lever: float = 0.3
    """l: metres of position error that weigh as much as one radian of rotation error."""
    max_step: float = np.inf
    """Largest change of any joint in one call of `solve`, in radians; a longer move is scaled down as a whole."""


_USUAL = SolverConfig()


class InverseKinematics:
    """Solver for one arm. Results depend on the arguments alone: equal calls give equal bits."""

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
            model: holds the arm; everything else in it stays at its default position.
            site: the tool frame T.
            joints: hinges from base to tool; limits are those of the model, hinges without limits turn freely.
            posture: preferred angles q0, one per joint (rad). Choose one that holds the tool about as the task does:
                from a posture far from the targets, some are reached with the wrist turned over.
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
        """Angles (rad) that take the tool to the target, near `start`; the best found if it is out of reach.

        Args:
            position: p*, of the tool in the world frame (m).
            rotation: R*, of the tool in the world frame, (3, 3).
            start: angles to begin from, such as the last command; small moves of the tool give small moves of joints.
        """
        start = np.asarray(start, dtype=float)
        return self._shortened(self._descend(position, rotation, start)[0], start)

    def search(self, position: Array, rotation: Array) -> Array:
        """Angles for a target without a known start: of several solutions the one nearest to the posture.

        Slower than `solve` by the number of restarts. Returns the best found if the target is out of reach.
        """
        found = [self._descend(position, rotation, start) for start in self._starts]
        reached = [q for q, error in found if self._is_reached(error)]
        if reached:
            return min(reached, key=lambda q: float(np.linalg.norm(q - self._posture)))
        return min(found, key=lambda pair: float(np.linalg.norm(pair[1])))[0]

    def error(self, q: Array, position: Array, rotation: Array) -> tuple[float, float]:
        """Position error (m) and rotation error (rad) of the tool at angles `q`."""
        error = self._pose_error(np.asarray(q, dtype=float), position, _quaternion(rotation))
        return float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:])) / self._config.lever

    def place(self, q: Array) -> Array:
        """Position of the tool in the world frame (m) at angles `q`."""
        self._data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.site_xpos[self._site].copy()

    def _descend(self, position: Array, rotation: Array, start: Array) -> tuple[Array, Array]:
        """Iterate from `start`; return the last angles that reach the target, or else the best ones, and their e(q)."""
        if not np.isfinite(np.sum(position) + np.sum(rotation) + np.sum(start)):
            raise ValueError(f"non-finite pose or start: {position}, {rotation}, {start}")
        quaternion = _quaternion(rotation)
        q = np.clip(start, self._lower, self._upper)
        best, rest, least = q, np.full(6, np.inf), np.inf
        for _ in range(self._config.iterations):
            error = self._pose_error(q, position, quaternion)
            squared = float(error @ error)
            is_reached = self._is_reached(error)
            if is_reached or squared < least:
                best, rest, least = q, error, squared
            step = self._step(q, error)
            if is_reached and float(np.abs(step).max()) < self._config.posture_tolerance:
                break
            q = q + step
        return best, rest

    def _pose_error(self, q: Array, position: Array, quaternion: Array) -> Array:
        """e(q), (6,). Leaves `self._data` at angles `q`."""
        data = self._data
        data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self._model, data)
        matrix = data.site_xmat[self._site]
        current, turn = np.empty(4), np.empty(3)
        mujoco.mju_mat2Quat(current, matrix)
        mujoco.mju_subQuat(turn, quaternion, current)  # log(R(q)^T R*), in T
        error = np.empty(6)
        error[:3] = position - data.site_xpos[self._site]
        error[3:] = self._config.lever * (matrix.reshape(3, 3) @ turn)
        return error

    def _step(self, q: Array, error: Array) -> Array:
        """Step dq from the angles at which `_pose_error` left the data, within the limits."""
        jacobian = self._tool_jacobian()
        pull = self._posture - q
        step = _damped_step(jacobian, error, pull)
        blocked = (q + step < self._lower) | (q + step > self._upper)
        if blocked.any():  # solve again for the other joints
            held = np.where(blocked, np.clip(q + step, self._lower, self._upper) - q, 0.0)
            free = np.where(blocked, 0.0, jacobian)
            step = np.where(blocked, held, _damped_step(free, error - jacobian @ held, np.where(blocked, 0.0, pull)))
            step = np.clip(q + step, self._lower, self._upper) - q
        return step

    def _tool_jacobian(self) -> Array:
        """J(q), (6, n), rotation rows times the lever."""
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_jacSite(self._model, self._data, self._jacobian[:3], self._jacobian[3:], self._site)
        jacobian: Array = self._jacobian[:, self._dofs]
        jacobian[3:] *= self._config.lever
        return jacobian

    def _is_reached(self, error: Array) -> bool:
        position, rotation = self._config.position_tolerance, self._config.rotation_tolerance * self._config.lever
        return bool(error[:3] @ error[:3] < position**2 and error[3:] @ error[3:] < rotation**2)

    def _shortened(self, q: Array, start: Array) -> Array:
        longest = float(np.abs(q - start).max())
        return q if longest <= self._config.max_step else start + (q - start) * (self._config.max_step / longest)

    def _starting_points(self) -> list[Array]:
        """The posture, then fixed pseudo-random angles within the limits and half a turn of the posture."""
        low, high = np.maximum(self._lower, self._posture - np.pi), np.minimum(self._upper, self._posture + np.pi)
        draws = np.random.default_rng(0).uniform(low, high, (self._config.restarts, len(low)))
        return [self._posture, *draws]


def _damped_step(jacobian: Array, error: Array, pull: Array) -> Array:
    """Step dq of the module's equation, from a pull q0 - q that is not yet reduced by the error.

    Damping in proportion to the squared error (T. Sugihara, IEEE Transactions on Robotics 27(5), 2011) is strong far
    from the target, where the linear model is poor, and vanishes at it, where convergence becomes quadratic.
    """
    squared = float(error @ error)
    pull = pull / (1.0 + squared / _NEAR)
    gram = jacobian @ jacobian.T
    gram.flat[::7] += 0.05 * squared + 1e-6
    step: Array = pull + jacobian.T @ np.linalg.solve(gram, error - jacobian @ pull)
    longest = float(np.abs(step).max())
    return step if longest <= _LONGEST_STEP else step * (_LONGEST_STEP / longest)


def _quaternion(rotation: Array) -> Array:
    """Quaternion by MuJoCo's routine, as in `_pose_error`: equal rotations then leave an error of exactly zero."""
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
