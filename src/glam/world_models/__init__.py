"""Stage 1: world models with latent actions. GLAM with its ablations, and the baselines CLAM and LAPA.

One method is one file and one line here (docs/add_a_world_model.md).
"""

from glam.core.registry import Registry, RegistryEntry

_HERE = "glam.world_models"

WORLD_MODELS = Registry(
    "world model",
    {
        "glam": RegistryEntry(f"{_HERE}.glam:GlamConfig", "the paper's method, with its ablations."),
        "clam": RegistryEntry(f"{_HERE}.clam:ClamConfig", "continuous latent actions, decoder trained with the IDM."),
        "lapa": RegistryEntry(f"{_HERE}.lapa:LapaConfig", "quantised latent actions, no labels in stage 1."),
    },
)
"""Every method by the tag of its config."""
