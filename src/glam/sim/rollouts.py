"""Closed-loop rollouts of a policy in several worlds at once, with one batched call for all that need a new chunk.

Open-loop replay executes recorded actions without feedback. Films of finished rollouts are made that way, in a world
with larger images.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.sim.world import EpisodeFailedError, World
from glam_client.action_chunking import ActionChunking

Images = NDArray[np.uint8]
Vectors = NDArray[np.float32]
Act = Callable[[Images, Vectors, Vectors], Vectors]
"""Images (B, V, Y, X, 3), poses (B, p), states (B, n_s) -> action chunks (B, H, n_a)."""
ActAndDoubt = Callable[[Images, Vectors, Vectors, Vectors], tuple[Vectors, Vectors]]
"""The same, given tracks (B, 3 P) of all arms and cameras too, and the doubt about each observation, (B,); NaN where it
is not known."""
Guard = Callable[[NDArray[np.float32]], NDArray[np.float64]]
"""The last step before the robot: turns an action into a command that is safe to follow."""
MakeGuard = Callable[[World], Guard]
"""A guard depends on the commands before, so each episode gets one of its own."""


@dataclass(frozen=True)
class Rollout:
    """One finished episode."""

    seed: int
    is_success: bool
    steps: int
    failure: str
    """Reason why the episode was broken off; empty otherwise."""
    failed_stage: str
    """First milestone of the task that was never achieved; `none` in a success."""
    poses: NDArray[np.float32]
    """(T, 10 K): the path of the grippers."""
    commands: NDArray[np.float64]
    """(T, n_a) as executed, to the last bit: the same commands give the same episode again."""
    doubts: tuple[float, ...] = ()
    """Of the observation for each chunk; empty where they are not known."""


@dataclass
class _Episode:
    """An episode that is still running."""

    seed: int
    world: World
    guard: Guard
    chunk: list[NDArray[np.float32]] = field(default_factory=list)
    rest: Sequence[NDArray[np.float32]] | NDArray[np.float32] = ()
    """Actions that were predicted for the steps after `chunk`."""
    poses: list[NDArray[np.float32]] = field(default_factory=list)
    commands: list[NDArray[np.float64]] = field(default_factory=list)
    doubts: list[float] = field(default_factory=list)
    achieved: set[str] = field(default_factory=set)
    failure: str = ""

    @property
    def is_over(self) -> bool:
        return bool(self.failure) or self.world.is_success or len(self.commands) >= self.world.task.max_episode_steps

    def follow(self, chunk: NDArray[np.float32], chunking: ActionChunking) -> None:
        """Execute a new chunk from now on."""
        plan = chunking.mixed(chunk.copy(), self.rest)
        self.chunk, self.rest = list(plan[: chunking.n_action_steps]), plan[chunking.n_action_steps :]

    def step(self) -> None:
        """Execute the next action of the chunk."""
        action = self.chunk.pop(0)
        if not np.isfinite(action).all():
            self.failure = f"the policy predicted an action that is not finite: {action}"
            return
        command = self.guard(action)
        self.poses.append(self.world.ee_pose())
        self.commands.append(command.copy())  # a guard may reuse its memory
        try:
            self.world.step(command)
        except EpisodeFailedError as error:
            self.failure = str(error)
        self.achieved |= {name for name, is_met in self.world.task.milestones(self.world).items() if is_met}

    def result(self) -> Rollout:
        is_success = self.world.is_success and not self.failure
        shape = len(self.poses), len(self.world.ee_pose())  # also right for an episode that broke before its first step
        poses, commands = np.array(self.poses, np.float32).reshape(shape), np.array(self.commands)
        stage = "none" if is_success else self._failed_stage()
        doubts = tuple(round(doubt, 4) for doubt in self.doubts)
        return Rollout(self.seed, is_success, len(self.commands), self.failure, stage, poses, commands, doubts)

    def _failed_stage(self) -> str:
        stages = list(self.world.task.milestones(self.world))
        missed = [stage for stage in stages if stage not in self.achieved]
        return missed[0] if missed else stages[-1]


def roll_out(
    worlds: Sequence[World], seeds: Sequence[int], act: Act, chunking: ActionChunking, guard: MakeGuard
) -> list[Rollout]:
    """Run one episode in each world; every action that is executed passes the guard first."""

    def act_without_doubt(*observed: Any) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        chunks = act(*observed[:3])
        return chunks, np.full(len(chunks), np.nan, np.float32)

    return roll_out_with_doubt(worlds, seeds, act_without_doubt, chunking, guard)


def roll_out_with_doubt(
    worlds: Sequence[World], seeds: Sequence[int], act: ActAndDoubt, chunking: ActionChunking, guard: MakeGuard
) -> list[Rollout]:
    """The same with a policy that sees the tracks too, and tells its doubt about every observation."""
    episodes = []
    for seed, world in zip(seeds, worlds, strict=True):
        world.reset(seed)
        episodes.append(_Episode(seed, world, guard(world)))
    while running := [episode for episode in episodes if not episode.is_over]:
        waiting = [episode for episode in running if not episode.chunk]
        if waiting:
            images = np.stack([episode.world.images() for episode in waiting])
            poses = np.stack([episode.world.ee_pose() for episode in waiting])
            states = np.stack([episode.world.state() for episode in waiting])
            tracks = np.stack([episode.world.ee_tracks() for episode in waiting])
            chunks, doubts = act(images, poses, states, tracks)
            for episode, chunk, doubt in zip(waiting, chunks, doubts, strict=True):
                episode.follow(chunk, chunking)
                episode.doubts += [float(doubt)] if np.isfinite(doubt) else []
        for episode in running:
            episode.step()
    return [episode.result() for episode in episodes]


def film(world: World, rollout: Rollout) -> Iterator[NDArray[np.uint8]]:
    """Camera images before the first command and after each one, (V, Y, X, 3) each.

    The simulation is deterministic, so an episode that goes differently is a bug, and raised as one.
    """
    world.reset(rollout.seed)
    yield world.images()
    poses = []
    for command in rollout.commands:
        poses.append(world.ee_pose())
        try:
            world.step(command)
        except EpisodeFailedError:
            break
        yield world.images()
    is_same = np.array_equal(np.array(poses).ravel(), rollout.poses.ravel()) and world.is_success == rollout.is_success
    assert is_same, f"episode {rollout.seed} went differently when it was filmed"


@dataclass(frozen=True)
class ReplayedEpisode:
    """Outcome of a replay."""

    poses: NDArray[np.float32]
    """(T + 1, 10 K): the pose before the first of T actions, and after each one."""
    images: NDArray[np.uint8]
    """(T + 1, V, Y, X, 3)."""
    is_success: bool


def replay_episode(world: World, seed: int, actions: NDArray[np.float32]) -> ReplayedEpisode:
    """Start episode `seed`, execute all actions, then hold the last one for as long as success must last."""
    world.reset(seed)
    poses, images = [world.ee_pose()], [world.images()]
    is_success = False
    try:
        for action in actions:
            world.step(action.astype(np.float64))
            is_success = is_success or world.is_success
            poses.append(world.ee_pose())
            images.append(world.images())
        for _ in range(world.task.hold_steps):
            world.step(actions[-1].astype(np.float64))
            is_success = is_success or world.is_success
    except EpisodeFailedError:
        is_success = False
    return ReplayedEpisode(np.stack(poses), np.stack(images), is_success)
