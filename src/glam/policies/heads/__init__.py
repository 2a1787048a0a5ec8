"""Policy heads by name. One head is one file and one line here (docs/add_a_policy_head.md)."""

from glam.core.registry import Registry, RegistryEntry

_HERE = "glam.policies.heads"

HEADS = Registry(
    "policy head",
    {
        "mip": RegistryEntry(
            f"{_HERE}.mip:MipConfig", "two regression passes, the second refines the first; the paper's."
        ),
        "flow": RegistryEntry(f"{_HERE}.flow:FlowConfig", "flow matching, sampled in 5 Euler steps."),
        "diffusion": RegistryEntry(f"{_HERE}.diffusion:DiffusionConfig", "diffusion, sampled in 10 DDIM steps."),
    },
)
