"""Check before an evaluation that a policy fits the world it is evaluated in."""

from pathlib import Path

from glam.core.errors import GlamError
from glam.policies import trained
from glam.sim.episodes import schema_of
from glam.sim.world import World


def check_suited(policy: Path, world: World, n_action_steps: int) -> None:
    """Refuse a policy for other cameras, another robot or another rate, and more action steps than a chunk has.

    Inputs of another meaning can have the same size; a policy would then act on wrong inputs without an error.
    """
    found = trained.load(policy)
    wanted, given = found.interface, schema_of(world)
    where = f"{world.task.name} by {world.embodiment.name}"
    for what, its, ours in (
        ("cameras", wanted.cameras, given.cameras),
        ("robot state", wanted.state_names, given.state_names),
        ("actions", wanted.action_names, given.action_names),
        ("rate", (f"{wanted.fps} a second",), (f"{given.fps} a second",)),
    ):
        if its != ours:
            raise GlamError(f"{policy}: was trained with {what} {_listed(its)}, but {where} has {_listed(ours)}")
    if n_action_steps > found.chunk:
        raise GlamError(f"--n-action-steps {n_action_steps}: a chunk of {policy} has {found.chunk} actions")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
