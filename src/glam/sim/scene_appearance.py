"""Appearance of a scene: colours and lights. It has no effect on the physics."""

from dataclasses import dataclass

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class SceneAppearance:
    """Colours of everything that is not a task object, and two lights."""

    table: Colour
    floor: Colour
    backdrop: Colour
    key_light: tuple[float, float, float]
    """Position of the stronger light, in metres."""
    key_strength: float
    fill_strength: float
    ambient: float


BRIGHT_ROOM = SceneAppearance(
    table=(0.72, 0.70, 0.66),
    floor=(0.42, 0.44, 0.47),
    backdrop=(0.58, 0.62, 0.66),
    key_light=(0.9, -0.7, 1.9),
    key_strength=0.55,
    fill_strength=0.25,
    ambient=0.32,
)
"""The scene of `kinova` and `umi`."""

DARK_ROOM = SceneAppearance(
    table=(0.43, 0.33, 0.24),
    floor=(0.20, 0.20, 0.19),
    backdrop=(0.30, 0.36, 0.33),
    key_light=(0.1, 1.3, 1.6),
    key_strength=0.75,
    fill_strength=0.15,
    ambient=0.22,
)
"""The scene of `kinova-lab`: dark wooden table, light from the other side."""
