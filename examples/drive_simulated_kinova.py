"""Drive the simulated Kinova through a policy server, as a program on a robot's computer drives the real one.

First `glam serve --policy runs/policy`, then in another terminal `python examples/drive_simulated_kinova.py stack-two`.
For your own robot, replace what uses `world`: read cameras and joints there, and send commands there.
"""

import argparse
from pathlib import Path

import numpy as np

from glam.sim.embodiments import find_embodiment
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam_client.access import read_token
from glam_client.action_chunking import ActionChunking
from glam_client.client import PolicyClient
from glam_client.controller import RobotController
from glam_client.interface import Observation, ServerInterface
from glam_client.safety import AxisLimits, Limits


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("task")
    parser.add_argument("--server", default="ws://127.0.0.1:8765")
    parser.add_argument("--token-file", type=Path)  # a copy of the server's file
    parser.add_argument("--seed", type=int, default=40_000_000)  # positions of the objects
    options = parser.parse_args()
    world = World(find_task(options.task), find_embodiment("kinova"))
    world.reset(options.seed)
    with PolicyClient(options.server, read_token(options.token_file) if options.token_file else "") as client:
        commands = drive(world, client)
    print(f"{'success' if world.is_success else 'no success'} after {len(commands)} steps")


def drive(world: World, client: PolicyClient) -> list[np.ndarray]:
    """Run one episode and return its commands."""
    interface, commands = client.interface, list[np.ndarray]()
    chunking = ActionChunking(min(5, interface.chunk_size))
    controller = RobotController(client, limits(world, interface), world.last_action, chunking)
    while len(commands) < world.task.max_episode_steps and not world.is_success:
        now = len(commands) / interface.fps  # on a robot: time.monotonic()
        if controller.needs_observation(now):
            images = {camera.name: image for camera, image in zip(world.task.cameras, world.images(), strict=True)}
            observation = Observation(images, world.ee_pose(), world.state(), now)
            controller.observe(observation).result()  # simulated time waits; a robot leaves out `.result()`
        commands.append(controller.command(now).values)
        world.step(commands[-1])
    return commands


def limits(world: World, interface: ServerInterface) -> Limits:
    """Limits of each axis, and the time that the robot may move on without the server."""
    columns = zip(interface.action_names, *world.action_limits(), *world.motion_limits(), strict=True)
    axes = tuple(AxisLimits(name, *map(float, row)) for name, *row in columns)
    return Limits(axes, period=1 / interface.fps, timeout=5.0)


if __name__ == "__main__":
    main()
