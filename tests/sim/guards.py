"""Guards of rollouts that are about something else."""


def unguarded(world):
    """Every action passes."""
    del world
    return lambda action: action.astype(float)
