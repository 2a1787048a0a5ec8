"""Kinematics of a robot from its URDF or MJCF: the tool pose at given joint positions, and joints for given poses.

Only the links and joints of a model are used, so a URDF works without its mesh files.
"""

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from glam.core.errors import GlamError, UnknownNameError
from glam.core.files import sha256
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig
from glam.sim.model_file import compiled

Array = NDArray[np.float64]

POSE_JOINTS = 6
"""Joints that an arm needs to take its tool to any pose."""
_POSITION_FIRST = SolverConfig(lever=0.01, rotation_tolerance=np.inf)
"""For arms with fewer joints: positions are reached, rotations as nearly as possible."""
_SINGLE = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


@dataclass(frozen=True, eq=False)
class Chain:
    """The links from the base of a robot to its tool."""

    joints: tuple[str, ...]
    """Joints that move the tool, base first."""
    limits: Array
    """(n, 2), lowest and highest position of each; infinite where the model has none."""
    is_turning: NDArray[np.bool_]
    """(n,), False for joints that slide."""
    digest: str
    """sha256 of the file it was read from, and the tool frame."""
    _model: mujoco.MjModel
    _addresses: tuple[int, ...]
    """Addresses of the joints among all positions of the model."""
    _tool: str
    """Site that is the tool; one is added to a link."""

    @classmethod
    def open(cls, path: Path, tool: str) -> "Chain":
        """The chain of the model in `path` to a site or link called `tool`."""
        model = compiled(path, tool)
        try:
            ids = _moving_joints(model, _body(model, tool))
        except GlamError as error:
            raise GlamError(f"{path}: {error}") from None
        is_limited = model.jnt_limited[ids].astype(bool)[:, None]
        limits = np.where(is_limited, model.jnt_range[ids], [-np.inf, np.inf])
        names = tuple(model.joint(joint).name for joint in ids)
        addresses = tuple(int(model.jnt_qposadr[joint]) for joint in ids)
        is_turning = model.jnt_type[ids] == mujoco.mjtJoint.mjJNT_HINGE
        return cls(names, limits, is_turning, f"{sha256(path)} {tool}", model, addresses, tool)

    def poses(self, positions: Array) -> tuple[Array, Array]:
        """Position (T, 3) and rotation (T, 3, 3) of the tool in the model's world frame, at joint positions (T, n)."""
        data = mujoco.MjData(self._model)
        places, rotations = np.empty((len(positions), 3)), np.empty((len(positions), 3, 3))
        for row, angles in enumerate(positions):
            data.qpos[list(self._addresses)] = angles
            mujoco.mj_kinematics(self._model, data)
            places[row] = data.site(self._tool).xpos
            rotations[row] = data.site(self._tool).xmat.reshape(3, 3)
        return places, rotations

    def solver(self, posture: Array) -> InverseKinematics:
        """Inverse kinematics near a posture; with fewer than six joints positions come before rotations."""
        config = SolverConfig() if len(self.joints) >= POSE_JOINTS else _POSITION_FIRST
        return InverseKinematics(self._model, self._tool, self.joints, posture, config)


def _body(model: mujoco.MjModel, tool: str) -> int:
    """The link that carries the tool."""
    site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, tool)
    if site < 0:
        sites = [model.site(number).name for number in range(model.nsite)]
        bodies = [model.body(number).name for number in range(1, model.nbody)]
        raise UnknownNameError("tool frame", tool, [known for known in (*sites, *bodies) if known])
    return int(model.site_bodyid[site])


def _moving_joints(model: mujoco.MjModel, body: int) -> list[int]:
    """Joints between the world and a body, base first."""
    found: list[int] = []
    while body:
        first = int(model.body_jntadr[body])
        found = [*range(first, first + int(model.body_jntnum[body])), *found] if first >= 0 else found
        body = int(model.body_parentid[body])
    for joint in found:
        if int(model.jnt_type[joint]) not in _SINGLE:
            raise GlamError(f"the joint {model.joint(joint).name!r} neither turns about one axis nor slides along one")
    if not found:
        raise GlamError("no joint moves the tool frame; name one that the arm carries")
    return found
