"""Other kinds of actions for an arm with joint servos: joint velocities, deltas of the tool, joint torques.

0 is rest in all of them, except for the gripper, whose command stays absolute. An arm of this kind remembers where its
actions have taken it, beginning with `put`.
"""

from abc import abstractmethod

import mujoco
import numpy as np

from glam.core.geometry import rotation_from_vector, vector_from_rotation
from glam.sim.embodiments.embodiment import COMMAND_RATE, Arm, HandPose, Vector

LONGEST_STEP = 0.05
"""Metres along each axis that a delta moves the tool at most; the experts' longest is half of it."""
LARGEST_TURN = 0.25
"""Radians about each axis that a delta turns the tool at most."""


class RestingArm:
    """An arm with joint servos, `arm`, that is driven by actions of which 0 is rest."""

    def __init__(self, arm: Arm, ending: str, largest: Vector, largest_change: Vector) -> None:
        """Bind.

        Args:
            arm: takes absolute joint targets and a gripper command.
            ending: takes the place of `.pos` in the names of the joints' entries.
            largest: magnitude of each entry but the gripper's.
            largest_change: of these entries, from one action to the next.
        """
        self._arm = arm
        self.state_names, self.actuators, self.stroke = arm.state_names, arm.actuators, arm.stroke
        self.fingertips = arm.fingertips
        self.delta_actions = self._names(ending)
        self.action_names = (*self.delta_actions, arm.action_names[-1])
        self.low, self.high = np.append(-largest, arm.low[-1]), np.append(largest, arm.high[-1])
        # The safety filter takes an entry at rest for a step: it is speed times the period, and changes by
        # acceleration times the period squared.
        self.speed = np.append(largest * COMMAND_RATE, arm.speed[-1])
        self.acceleration = np.append(largest_change * COMMAND_RATE**2, arm.acceleration[-1])
        self._joints = np.zeros(len(arm.action_names) - 1)
        """Joint targets that the actions so far add up to."""

    def pose(self, data: mujoco.MjData) -> HandPose:
        """Measured tool pose and opening."""
        return self._arm.pose(data)

    def state(self, data: mujoco.MjData) -> Vector:
        """Joint angles and opening."""
        return self._arm.state(data)

    def put(self, data: mujoco.MjData, target: HandPose) -> Vector:
        """Set the joints to `target`, at rest."""
        self._joints = self._arm.put(data, target)[:-1]
        self._begin(data)
        return np.append(np.zeros(len(self.delta_actions)), target.opening)

    def action_towards(self, target: HandPose, last_action: Vector) -> Vector:
        """The action that brings the tool to `target`, as far as one action can."""
        del last_action
        return np.clip(np.append(self._towards(target), target.opening), self.low, self.high)

    def controls(self, action: Vector) -> Vector:
        """Commands of the actuators; call it once for each action."""
        clipped = np.clip(action, self.low, self.high)
        return self._follow(clipped[:-1], clipped[-1:])

    def _goal(self, target: HandPose) -> Vector:
        """Joint targets nearer to `target`, by no more than joints can turn in a control step."""
        return self._arm.action_towards(target, np.append(self._joints, target.opening))[:-1]

    def _names(self, ending: str) -> tuple[str, ...]:
        return tuple(name.removesuffix(".pos") + ending for name in self._arm.action_names[:-1])

    def _begin(self, data: mujoco.MjData) -> None:
        """Remember what an episode begins with."""

    @abstractmethod
    def _towards(self, target: HandPose) -> Vector:
        """Entries but the gripper's."""

    @abstractmethod
    def _follow(self, entries: Vector, gripper: Vector) -> Vector:
        """Commands of the actuators."""


class JointVelocities(RestingArm):
    """Actions: joint velocities (rad/s) and a gripper command. The joint targets are their sum."""

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm, ".vel", arm.speed[:-1], arm.acceleration[:-1] / COMMAND_RATE)

    def _towards(self, target: HandPose) -> Vector:
        return (self._goal(target) - self._joints) * COMMAND_RATE

    def _follow(self, entries: Vector, gripper: Vector) -> Vector:
        self._joints = np.clip(self._joints + entries / COMMAND_RATE, self._arm.low[:-1], self._arm.high[:-1])
        return self._arm.controls(np.append(self._joints, gripper))


class ToolDeltas(RestingArm):
    """Actions: steps of the tool along the axes of the world (m), turns about them (rad), and a gripper command."""

    def __init__(self, arm: Arm) -> None:
        largest = np.repeat([LONGEST_STEP, LARGEST_TURN], 3)
        super().__init__(arm, "", largest, largest)

    def _names(self, ending: str) -> tuple[str, ...]:
        del ending
        arm = self._arm.action_names[-1].removesuffix("_gripper.pos")
        return tuple(f"{arm}_{axis}.delta" for axis in ("x", "y", "z", "roll", "pitch", "yaw"))

    def _begin(self, data: mujoco.MjData) -> None:
        mujoco.mj_kinematics(data.model, data)
        self._tool = self._arm.pose(data)

    def _towards(self, target: HandPose) -> Vector:
        turn = vector_from_rotation(target.rotation @ self._tool.rotation.T)
        return np.concatenate([target.position - self._tool.position, turn])

    def _follow(self, entries: Vector, gripper: Vector) -> Vector:
        position, rotation = self._tool.position + entries[:3], rotation_from_vector(entries[3:]) @ self._tool.rotation
        self._tool = HandPose(position, rotation, float(gripper[0]))
        self._joints = self._goal(self._tool)
        return self._arm.controls(np.append(self._joints, gripper))


class JointTorques(RestingArm):
    """Actions: joint torques (N m) beside gravity compensation and the drives' damping, and a gripper command.

    Damped drives come to rest without a torque. Ten torques a second could not control a robot without damping.
    """

    def __init__(self, arm: Arm, damping: Vector) -> None:
        largest = damping * arm.speed[:-1]
        super().__init__(arm, ".torque", largest, 2.0 * largest)
        self._damping = damping

    def _begin(self, data: mujoco.MjData) -> None:
        self._data = data

    def _towards(self, target: HandPose) -> Vector:
        self._joints = self._goal(target)
        measured = self._arm.state(self._data)[:-1]
        return self._damping * (self._joints - measured) * COMMAND_RATE

    def _follow(self, entries: Vector, gripper: Vector) -> Vector:
        finger = self._arm.controls(np.append(self._joints, gripper))[-1:]
        return np.append(entries, finger)
