"""Appearance of a scene: colours and lights. It has no effect on the physics."""

import colorsys
import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class SceneAppearance:
    """Colours of everything that is not a task object, and two lights."""

    table: Colour
    floor: Colour
    backdrop: Colour
    key_light: tuple[float, float, float]
    """Where the stronger light comes from, in metres; it is as far away as the sun, so only the direction counts."""
    key_strength: float
    fill_strength: float
    ambient: float

    def paint(self, model: mujoco.MjModel) -> None:
        """Give a compiled model this look in place. Colours of objects and arms stay."""
        for geom, colour in (("table", self.table), ("floor", self.floor), ("wall", self.backdrop)):
            model.geom(geom).rgba[:3] = colour
        for number, light in enumerate(self.lights):
            model.light_pos[number], model.light_dir[number] = light.position, light.direction
            model.light_diffuse[number], model.light_ambient[number] = light.strength, light.ambient

    @property
    def lights(self) -> tuple["Light", "Light"]:
        """The two lights of the scene, the stronger one first."""
        fill = Light(np.array(_FILL_LIGHT), self.fill_strength, 0.0)
        return Light(np.array(self.key_light), self.key_strength, self.ambient), fill


_FILL_LIGHT = (1.4, 0.9, 1.2)
_LIT_POINT = np.array([0.45, 0.0, 0.05])


@dataclass(frozen=True)
class Light:
    """A directional light without shadows, aimed at the middle of the table."""

    position: NDArray[np.float64]
    strength: float
    ambient: float

    @property
    def direction(self) -> NDArray[np.float64]:
        """Unit vector along which it shines."""
        towards = _LIT_POINT - self.position
        return towards / np.linalg.norm(towards)


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


def random_appearance(rng: np.random.Generator) -> SceneAppearance:
    """Another room: any hue, but paler than the objects, and light from any side, from low to steep, dim to bright."""
    return SceneAppearance(
        table=_colour(rng, saturation=0.40, value=(0.25, 0.85)),
        floor=_colour(rng, saturation=0.25, value=(0.15, 0.60)),
        backdrop=_colour(rng, saturation=0.35, value=(0.20, 0.85)),
        key_light=_overhead(rng),
        key_strength=rng.uniform(0.35, 0.80),
        fill_strength=rng.uniform(0.10, 0.35),
        ambient=rng.uniform(0.18, 0.42),
    )


def _colour(rng: np.random.Generator, saturation: float, value: tuple[float, float]) -> Colour:
    """Any hue; `saturation` is the largest one."""
    return colorsys.hsv_to_rgb(rng.uniform(), rng.uniform(0.0, saturation), rng.uniform(*value))


def _overhead(rng: np.random.Generator) -> tuple[float, float, float]:
    """A place 2 m from the middle of the table, 35 to 75 degrees above it."""
    azimuth, elevation = rng.uniform(0.0, 2 * math.pi), math.radians(rng.uniform(35.0, 75.0))
    along = math.cos(elevation)
    x, y, z = _LIT_POINT + 2.0 * np.array([along * math.cos(azimuth), along * math.sin(azimuth), math.sin(elevation)])
    return float(x), float(y), float(z)
