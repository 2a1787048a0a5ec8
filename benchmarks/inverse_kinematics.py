"""Time, success and error of `glam.sim.inverse_kinematics` and of mink, on the same targets in the same run.

    python benchmarks/inverse_kinematics.py
    python benchmarks/worlds.py --only inverse_kinematics --again inverse_kinematics   # into docs/results/worlds.json

Cold: random reachable poses, each solved from the preferred posture. Warm: pick-and-place paths at 10 Hz, each pose
solved from the last. Success: under 1 mm and 0.5 degrees. Both solvers have the same tolerances, posture and limits.
Drift: the largest difference of a joint, at the end of a path, from the solution nearest to the posture, which depends
on the pose alone. Times are processor time, so that other programs on the machine matter little.
"""

import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from glam.core.geometry import rotation_z
from glam.sim.embodiments import EMBODIMENTS
from glam.sim.inverse_kinematics import InverseKinematics, SolverConfig
from glam.sim.scene import build_model
from glam.sim.tasks import TASKS

# isort: split
# After glam.sim, which chooses how MuJoCo draws.
import mink
import mujoco
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pose = tuple[Array, Array]
Solve = Callable[[Array, Array, Array], Array]

JOINTS = [f"arm_joint_{number}" for number in range(1, 8)]
SITE = "arm_tool"
POSTURE = np.array([0.0, 0.43, np.pi, -1.65, 0.0, -1.06, 0.0])  # the tool points down, 45 cm ahead
DOWN = np.diag([1.0, -1.0, -1.0])
CONFIG = SolverConfig()


class Mink:
    """mink's frame task with a weak posture task, iterated to the tolerances of our solver.

    Its damping was chosen among 1e-6, 1e-3, 0.01, 0.1 and 1, by how many random poses it solves and how soon.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._configuration = mink.Configuration(model)
        self._addresses = [model.joint(name).qposadr[0] for name in JOINTS]
        self._dofs = [model.joint(name).dofadr[0] for name in JOINTS]
        self._frame = mink.FrameTask(SITE, "site", position_cost=1.0, orientation_cost=CONFIG.lever, lm_damping=0.01)
        cost = np.zeros(model.nv)
        cost[self._dofs] = 1e-3
        self._posture = mink.PostureTask(model, cost=cost)
        self._posture.set_target(self._with_arm(model.qpos0.copy(), POSTURE))
        others = [dof for dof in range(model.nv) if dof not in self._dofs]
        self._still = mink.DofFreezingTask(model, dof_indices=others)
        self._limits = [mink.ConfigurationLimit(model)]

    def __call__(self, position: Array, rotation: Array, start: Array) -> Array:
        """Same contract as `InverseKinematics.solve`."""
        configuration = self._configuration
        configuration.update(self._with_arm(configuration.q.copy(), start))
        target = mink.SE3.from_rotation_and_translation(mink.SO3.from_matrix(rotation), position)
        self._frame.set_target(target)
        for _ in range(CONFIG.iterations):
            error = self._frame.compute_error(configuration)
            if (
                np.linalg.norm(error[:3]) < CONFIG.position_tolerance
                and np.linalg.norm(error[3:]) < CONFIG.rotation_tolerance
            ):
                break
            tasks = [self._frame, self._posture]
            velocity = mink.solve_ik(
                configuration, tasks, 1.0, "daqp", limits=self._limits, constraints=[self._still], damping=1e-9
            )
            configuration.integrate_inplace(velocity, 1.0)
        return configuration.q[self._addresses].copy()

    def _with_arm(self, qpos: Array, angles: Array) -> Array:
        qpos[self._addresses] = angles
        return qpos


def main() -> None:
    found = against_mink()
    for name, figures in found["solvers"].items():
        print(f"{name:28s}" + "  ".join(f"{key} {value}" for key, value in figures.items()))
    print(f"time of mink / ours: {found['mink_over_ours']}")


def against_mink() -> dict[str, Any]:
    """Figures of both solvers, and the ratio of their median times."""
    model = build_model(TASKS["stack-two"], EMBODIMENTS["kinova"])
    ours = InverseKinematics(model, SITE, JOINTS, POSTURE)
    reference = Mink(model)
    cold = [random_poses(model, 300)]
    paths = [random_path(seed) for seed in range(20)]
    solvers = {
        "cold, mink": figures(ours, cold, reference, is_cold=True),
        "cold, ours": figures(ours, cold, ours.solve, is_cold=True),
        "cold, ours, 11 starts": figures(ours, cold, lambda p, r, _: ours.search(p, r), is_cold=True),
        "warm, mink": figures(ours, paths, reference, is_cold=False),
        "warm, ours": figures(ours, paths, ours.solve, is_cold=False),
    }
    ratios = {
        kind: round(solvers[f"{kind}, mink"]["median_ms"] / solvers[f"{kind}, ours"]["median_ms"], 1)
        for kind in ("cold", "warm")
    }
    return {"mink": version("mink"), "solvers": solvers, "mink_over_ours": ratios}


def figures(judge: InverseKinematics, paths: list[list[Pose]], solve: Solve, *, is_cold: bool) -> dict[str, Any]:
    times, errors, drift = [], [], []
    for path in paths:
        q = judge.search(*path[0])
        for position, rotation in path:
            start = time.process_time()
            q = solve(position, rotation, POSTURE if is_cold else q)
            times.append(time.process_time() - start)
            errors.append(judge.error(q, position, rotation))
        drift.append(np.abs(q - judge.search(*path[-1])).max())
    millimetres, degrees = np.array(errors).T * [[1e3], [180 / np.pi]]
    return {
        "median_ms": round(float(np.median(times)) * 1e3, 2),
        "mean_ms": round(float(np.mean(times)) * 1e3, 2),
        "successes": int(((millimetres < 1.0) & (degrees < 0.5)).sum()),
        "poses": len(times),
        "worst_mm": round(float(millimetres.max()), 2),
        "worst_degrees": round(float(degrees.max()), 2),
        "drift_rad": round(float(max(drift)), 3),
    }


def random_poses(model: mujoco.MjModel, count: int) -> list[Pose]:
    """Tool poses of angles drawn evenly within the limits."""
    rng, data = np.random.default_rng(1), mujoco.MjData(model)
    poses = []
    for _ in range(count):
        for name in JOINTS:
            joint = model.joint(name)
            low, high = joint.range if joint.limited else (-np.pi, np.pi)
            data.joint(name).qpos[0] = rng.uniform(low, high)
        mujoco.mj_kinematics(model, data)
        poses.append((data.site(SITE).xpos.copy(), data.site(SITE).xmat.reshape(3, 3).copy()))
    return poses


def random_path(seed: int) -> list[Pose]:
    """Four min-jerk moves at 0.22 m/s or less on average between points above a table, sampled at 10 Hz."""
    rng = np.random.default_rng(seed)
    points = rng.uniform([0.3, -0.3, 0.03], [0.6, 0.3, 0.33], (5, 3))
    yaws = rng.uniform(-1.0, 1.0, 5)
    path = []
    for i in range(4):
        steps = 3 + int(np.linalg.norm(points[i + 1] - points[i]) / 0.022)
        for t in np.linspace(0.0, 1.0, steps + 1)[1:]:
            s = t**3 * (10 - 15 * t + 6 * t**2)
            rotation = rotation_z(yaws[i] + (yaws[i + 1] - yaws[i]) * s) @ DOWN
            path.append((points[i] + (points[i + 1] - points[i]) * s, rotation))
    return path


if __name__ == "__main__":
    main()
