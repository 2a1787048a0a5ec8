"""Draw the five tasks side by side: `make images` calls it with docs/images/tasks.png."""

import sys
from pathlib import Path

import film_scenes
from film_drawing import Part, Tile, drawn
from glam.sim.gl import choose_backend
from glam.sim.tasks import TASKS

TILE = (150, 164)
SEED = 50_000_003
MOMENTS = {"lift": 0.95, "pick-place": 0.6, "knock-down": 0.5, "stack-two": 0.6, "stack-three": 0.8}
"""Share of the demonstration after which a task is shown."""


def main(target: Path) -> None:
    choose_backend()
    tiles = [Tile([moment(task)], task) for task in TASKS]
    (image,) = drawn(Part("", (("", tiles),)), TILE)
    image.save(target, optimize=True)
    print(target)


def moment(task: str) -> film_scenes.Frame:
    filmed = film_scenes.world(task, "kinova", TILE)
    frames = [frame for frame, _ in film_scenes.demonstration(filmed, SEED)]
    filmed.close()
    return frames[int(MOMENTS.get(task, 0.7) * (len(frames) - 1))]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
