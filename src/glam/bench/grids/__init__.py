"""Grids by name: the tables and figures, as the cells they consist of. One grid is one function and one line here."""

from typing import TYPE_CHECKING

from glam.core.registry import Registry, RegistryEntry

if TYPE_CHECKING:  # torch takes seconds to import, and --help does without
    from glam.bench.cell import Cell

_HERE = "glam.bench.grids"
GRIDS = Registry(
    "benchmark",
    {
        "main": RegistryEntry(f"{_HERE}.main:main", "five tasks, every method."),
        "scaling": RegistryEntry(f"{_HERE}.scaling:scaling", "success over the number of demonstrations."),
        "few-labels": RegistryEntry(f"{_HERE}.scaling:few_labels", "the same with few labelled demonstrations."),
        "third-source": RegistryEntry(f"{_HERE}.sources:third_source", "a third source of demonstrations."),
        "transfer": RegistryEntry(f"{_HERE}.sources:transfer", "every source replayed on the robot."),
        "ablation": RegistryEntry(f"{_HERE}.ablation:ablation", "the method with one of its parts left out at a time."),
        "with-masks": RegistryEntry(
            f"{_HERE}.main:with_masks",
            "every method on two tasks; policies also learn from object masks.",
        ),
        "smoothness": RegistryEntry(f"{_HERE}.scaling:smoothness", "how smoothly policies move."),
        "world-models": RegistryEntry(f"{_HERE}.world_models:world_models", "every method of stage 1."),
        "policies": RegistryEntry(f"{_HERE}.policies:policies", "every method of stage 2 on stack-two."),
        "heads": RegistryEntry(
            f"{_HERE}.heads:heads", "every policy head on stack-two, on latent and on robot actions."
        ),
        "method": RegistryEntry(
            f"{_HERE}.method:method", "replays, ablations of stage 1 and main policies, on validation scenes."
        ),
        "tuning": RegistryEntry(f"{_HERE}.tuning:tuning", "five settings of every method, on validation scenes."),
        "tasks": RegistryEntry(
            f"{_HERE}.main:tasks",
            "mip with few and with all demonstrations labelled, on validation scenes: how much room each task leaves.",
        ),
        "regimes": RegistryEntry(
            f"{_HERE}.regimes:regimes",
            "poses that are wrong or in other frames, other cameras, other actions, few labels, on validation scenes.",
        ),
        "smoke": RegistryEntry(f"{_HERE}.smoke:smoke", "a minute that only tests that everything runs."),
    },
)


def find_grid(name: str) -> list["Cell"]:
    """The cells of a grid, each once, the most important first."""
    return list(dict.fromkeys(GRIDS.find(name)()))
