"""Success of the scripted experts, controls that must fail, and what the cameras see of the objects."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from glam.core.workers import spread
from glam.sim.demonstrator import demonstrate, expert_actions
from glam.sim.embodiments import EMBODIMENTS, find_embodiment
from glam.sim.embodiments.embodiment import Vector
from glam.sim.expert import Disturbance, Expert
from glam.sim.tasks import TASKS, find_task
from glam.sim.tasks.knock_down import KnockDown, nearer_push, push_over
from glam.sim.tasks.task import Plan
from glam.sim.world import CONTROL_RATE, World

# isort: split
import mujoco
import numpy as np
from numpy.typing import NDArray

Action = NDArray[np.float32]
PAIRS = [(task, embodiment) for task in TASKS for embodiment in EMBODIMENTS]
SEEN_PAIRS = [(task, embodiment) for task in TASKS for embodiment in ("kinova", "umi")]
DEMONSTRATION_SEEDS = range(1000, 1100)
CONTROL_SEEDS = range(1000, 1020)
PUSH_SEEDS = range(1000, 1060)
VISIBILITY_SEEDS = range(2000, 2020)
ENOUGH_PIXELS = 60
WORKERS = 2


def demonstrations() -> dict[str, Any]:
    """Success, length, speed and servo lag of every task by every embodiment, and the step limits that follow."""
    table = by_pair(demonstrate_often, PAIRS)
    longest = {task: max(table[f"{task} {body}"]["steps"]["longest"] for body in EMBODIMENTS) for task in TASKS}
    return {
        "seeds": [DEMONSTRATION_SEEDS.start, DEMONSTRATION_SEEDS.stop - 1],
        "pairs": table,
        "max_episode_steps": {task: step_limit(steps) for task, steps in longest.items()},
    }


def step_limit(longest: int) -> int:
    """One and a half times the longest demonstration, rounded up to a multiple of 5."""
    return -(-3 * longest // 10) * 5


def demonstrate_often(pair: tuple[str, str]) -> dict[str, Any]:
    world = make_world(pair)
    failed, lengths, lags, speeds = [], [], [], []
    for seed in DEMONSTRATION_SEEDS:
        world.reset(seed)
        steps = 0
        for action in expert_actions(world, Disturbance()):
            before = world.last_action
            world.step(action)
            steps += 1
            lags.append(1e3 * lag(world, action))
            speeds.append(joint_speeds(world, before, action))
        lengths.append(steps)
        if not world.is_success:
            failed.append(seed)
    result: dict[str, Any] = {
        "successes": len(lengths) - len(failed),
        "failed_seeds": failed,
        "steps": {"mean": round(float(np.mean(lengths)), 1), "longest": max(lengths)},
        "servo_lag_mm": {"mean": round(float(np.mean(lags)), 1), "largest": round(max(lags), 1)},
    }
    if world.embodiment.is_labelled:
        limits = np.concatenate([arm.speed[:-1] for arm in world.arms.values()])
        result["joint_speed_as_share_of_limit"] = speed_shares(np.array(speeds), limits)
    return result


def lag(world: World, action: Action) -> float:
    """Distance of the hands from where the action would put them at rest, in metres; the largest of the arms."""
    target = mujoco.MjData(world.model)
    target.qpos[:] = world.data.qpos
    start = 0
    for arm in world.arms.values():
        for place, name in enumerate(arm.action_names[:-1]):
            target.joint(name.removesuffix(".pos")).qpos = action[start + place]
        start += len(arm.action_names)
    mujoco.mj_kinematics(world.model, target)
    return max(
        float(np.linalg.norm(arm.pose(target).position - arm.pose(world.data).position)) for arm in world.arms.values()
    )


def joint_speeds(world: World, before: Vector, action: Action) -> Vector:
    """Measured and commanded speed of every joint in rad/s. (2, joints)."""
    names = [name.removesuffix(".pos") for arm in world.arms.values() for name in arm.action_names[:-1]]
    measured = np.array([world.data.joint(name).qvel[0] for name in names])
    is_joint = np.tile([*[True] * (len(names) // len(world.arms)), False], len(world.arms))
    return np.abs([measured, (action - before)[is_joint] * CONTROL_RATE])


def speed_shares(speeds: Vector, limits: Vector) -> dict[str, float]:
    """Largest speed of any joint, as a share of its limit; speeds are (steps, 2, joints)."""
    shares = (speeds / limits).max(axis=-1)  # (steps, 2)
    return {
        "measured_largest": round(float(shares[:, 0].max()), 2),
        "commanded_largest": round(float(shares[:, 1].max()), 2),
        "commanded_steps_above_limit": round(float((shares[:, 1] > 1.0).mean()), 4),
    }


def negative_controls() -> dict[str, Any]:
    """Successes of attempts that must fail."""
    controls = {
        "at_reset": (successes_at_reset, SEEN_PAIRS),
        "gripper_never_closed": (successes_with_open_gripper, [p for p in SEEN_PAIRS if p[0] != "knock-down"]),
    }
    results = {name: by_pair(count, pairs) for name, (count, pairs) in controls.items()}
    bottles = [pair for pair in PAIRS if pair[0] == "knock-down"]
    pushed = {name: by_pair(partial(pushes, name), bottles) for name in PUSHES}
    return {"attempts_each": len(CONTROL_SEEDS), "successes": results, "pushes": pushed}


def successes_at_reset(pair: tuple[str, str]) -> int:
    """Nothing is done for as long as success must hold."""
    world = make_world(pair)
    successes = 0
    for seed in CONTROL_SEEDS:
        world.reset(seed)
        for _ in range(world.task.hold_steps + 2):
            world.step(world.last_action)
        successes += world.is_success
    return successes


def successes_with_open_gripper(pair: tuple[str, str]) -> int:
    """The expert's movements with every gripper command replaced by open."""
    world = make_world(pair)
    is_gripper = np.concatenate(
        [np.arange(len(a.action_names)) == len(a.action_names) - 1 for a in world.arms.values()]
    )
    return sum(succeeds_at_any_time(world, seed, is_gripper) for seed in CONTROL_SEEDS)


def succeeds_at_any_time(world: World, seed: int, is_forced_open: Vector) -> bool:
    world.reset(seed)
    for count, action in enumerate(expert_actions(world, Disturbance())):
        world.step(np.where(is_forced_open, 1.0, action))
        if world.is_success:
            return True
        if count > 2 * world.task.max_episode_steps:
            break
    return False


class Push(KnockDown):
    """A push through the bottle's centre in a direction that some rule gives."""

    def __init__(self, direction: Callable[[World, Vector], Vector]) -> None:
        self.direction = direction

    def plans(self, world: World, experts: Mapping[str, Expert]) -> Mapping[str, Plan]:
        """Push in this direction."""
        expert = experts["arm"]
        return {"arm": push_over(world, expert, self.direction(world, expert.at.position))}


def across_the_wide_side(world: World, hand: Vector) -> Vector:
    x, y, _ = nearer_push(world, hand)
    return np.array([-y, x, 0.0])


def away_from_the_hand(world: World, hand: Vector) -> Vector:
    """Blind to the bottle's orientation."""
    away = (world.position("bottle") - hand) * np.array([1.0, 1.0, 0.0])
    return away / np.linalg.norm(away)


def to_the_right(_world: World, _hand: Vector) -> Vector:
    return np.array([0.0, -1.0, 0.0])


PUSHES = {
    "bottle_pushed_across_its_wide_side": across_the_wide_side,
    "bottle_pushed_away_from_the_hand": away_from_the_hand,
    "bottle_pushed_to_the_right": to_the_right,
}


def pushes(name: str, pair: tuple[str, str]) -> dict[str, int]:
    """Bottles that a push tips, and moves by 3 cm or more: that each control is one."""
    world = World(Push(PUSHES[name]), find_embodiment(pair[1]))
    tipped = moved = 0
    for seed in PUSH_SEEDS:
        world.reset(seed)
        start, is_tipped = world.position("bottle"), False
        for action in expert_actions(world, Disturbance()):
            world.step(action)
            is_tipped |= world.is_success
        tipped += is_tipped
        moved += bool(np.linalg.norm(world.position("bottle") - start) > 0.03)
    return {"tipped": tipped, "moved": moved, "attempts": len(PUSH_SEEDS)}


def visibility() -> dict[str, Any]:
    """Parts of recorded images, of 96 x 96 pixels, that objects cover over whole demonstrations."""
    return {
        "seeds": [VISIBILITY_SEEDS.start, VISIBILITY_SEEDS.stop - 1],
        "enough_pixels": ENOUGH_PIXELS,
        "pairs": by_pair(object_pixels, SEEN_PAIRS),
    }


def object_pixels(pair: tuple[str, str]) -> dict[str, Any]:
    world = make_world(pair)
    frames = [frame for seed in VISIBILITY_SEEDS for frame in demonstrate(world, seed, Disturbance()).frames]
    pixels = np.array([(frame.masks > 0).sum(axis=(1, 2)) for frame in frames])  # (T, V, C)
    best = pixels.max(axis=1)
    cameras = [camera.name for camera in world.task.cameras]
    return {
        name: {
            "share_of_frames_with_enough": round(float((best[:, channel] >= ENOUGH_PIXELS).mean()), 4),
            "fewest_in_the_better_view": int(best[:, channel].min()),
            "median": dict(zip(cameras, np.median(pixels[:, :, channel], axis=0).tolist(), strict=True)),
        }
        for channel, name in enumerate(world.task.objects)
    }


def make_world(pair: tuple[str, str], size: int = 96) -> World:
    return World(find_task(pair[0]), find_embodiment(pair[1]), (size, size))


def by_pair(measure: Any, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """`measure` of every pair, in two processes."""
    found = dict(spread(partial(labelled, measure), list(pairs), WORKERS))
    return {f"{task} {body}": found[f"{task} {body}"] for task, body in pairs}


def labelled(measure: Any, pair: tuple[str, str]) -> tuple[str, Any]:
    return f"{pair[0]} {pair[1]}", measure(pair)
