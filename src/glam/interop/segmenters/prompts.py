"""Clicks and boxes as users give them: on the command line, or many in a JSON file.

Numbers are pixels of the stored images, x to the right and y down.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from glam.core import files
from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError, UnknownNameError
from glam.data.reader import Dataset
from glam.data.schema import MOST_MASK_CHANNELS
from glam.interop.segmenters.segmenter import LOWER_RIGHT, OFF, ON, UPPER_LEFT, Hint

_CLICK = re.compile(r"(?P<camera>.+)@(?:(?P<episode>\d+)/)?(?P<frame>\d+):(?P<numbers>[-\d.,]+)")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_FORMS = "CAMERA@FRAME:X,Y, CAMERA@EPISODE/FRAME:X,Y, CAMERA@EPISODE/FRAME:LEFT,UPPER,RIGHT,LOWER or #RRGGBB"


@dataclass(frozen=True)
class Prompt:
    """Clicks or a box that show one object in one frame of one camera."""

    episode: int
    camera: str
    object: str
    frame: int = 0
    on: tuple[tuple[float, float], ...] = ()
    """Clicks on the object, (x, y) each."""
    off: tuple[tuple[float, float], ...] = ()
    """Clicks on what is not the object."""
    box: tuple[float, ...] = ()
    """Left, upper, right and lower edge of a box around it; empty for none."""
    doubt: str = ""
    """Reason to check it by hand; nothing depends on it."""

    @property
    def title(self) -> str:
        """Description for error messages."""
        return f"prompt for {self.object} in episode {self.episode}, camera {self.camera}, frame {self.frame}"

    @property
    def hint(self) -> Hint:
        """The same for a model."""
        hint = Hint((), ()).also(ON, *self.on).also(OFF, *self.off)
        if self.box:
            hint = hint.also(UPPER_LEFT, (self.box[0], self.box[1])).also(LOWER_RIGHT, (self.box[2], self.box[3]))
        return hint


@dataclass(frozen=True)
class Prompts:
    """Objects to make masks of, with their prompts."""

    objects: tuple[str, ...]
    """Names in the order of the mask channels."""
    prompts: tuple[Prompt, ...] = ()
    colours: dict[str, str] = field(default_factory=dict)
    """Objects to be found by a colour such as #c02020."""

    def of(self, episode: int, camera: str) -> dict[str, dict[int, Hint]]:
        """Hints of each object that has some there, by frame."""
        found: dict[str, dict[int, Hint]] = {}
        for prompt in self.prompts:
            if (prompt.episode, prompt.camera) == (episode, camera):
                found.setdefault(prompt.object, {})[prompt.frame] = prompt.hint
        return found


def parse_objects(texts: Sequence[str]) -> Prompts:
    """From texts such as `red=front@0:31,64` or `red=#c02020`; several for one object add up."""
    names: dict[str, None] = {}
    prompts, colours = [], {}
    for text in texts:
        name, equals, what = text.partition("=")
        if not (name and equals and what):
            raise GlamError(f"--object {text}: write NAME=WHERE with WHERE as {_FORMS}")
        names[name] = None
        if _COLOUR.fullmatch(what):
            colours[name] = what
        else:
            prompts.append(_parsed(text, name, what))
    return Prompts(tuple(names), _merged(prompts), colours)


def read_prompts(path: Path) -> Prompts:
    """The clicks in a file."""
    content = files.read_json(path)
    try:
        return from_json(Prompts, content)
    except GlamError as error:
        raise GlamError(f"{path}: {error}") from None


def write_prompts(path: Path, prompts: Prompts) -> None:
    """Write clicks so that `read_prompts` reads them, and people can edit them."""
    files.write_json(path, to_json(prompts))


def joined(first: Prompts, second: Prompts) -> Prompts:
    """Prompts of both; the objects of the first come first."""
    objects = dict.fromkeys((*first.objects, *second.objects))
    return Prompts(tuple(objects), _merged((*first.prompts, *second.prompts)), first.colours | second.colours)


def require_fitting(prompts: Prompts, dataset: Dataset) -> None:
    """Refuse prompts for what the dataset does not have."""
    if not prompts.objects:
        raise GlamError(f"no object; point at some with --object NAME=WHERE ({_FORMS}) or --prompts FILE")
    if len(prompts.objects) > MOST_MASK_CHANNELS:
        raise GlamError(f"{len(prompts.objects)} objects; at most {MOST_MASK_CHANNELS} masks can be stored")
    for name in prompts.objects:
        if not any(prompt.object == name for prompt in prompts.prompts) and name not in prompts.colours:
            raise GlamError(f"object {name}: nothing points at it; give --object {name}=WHERE ({_FORMS})")
    for prompt in prompts.prompts:
        _require_there(prompt, prompts, dataset)


def _parsed(text: str, name: str, what: str) -> Prompt:
    match = _CLICK.fullmatch(what)
    try:
        numbers = tuple(float(number) for number in match["numbers"].split(",")) if match else ()
    except ValueError:
        numbers = ()
    if match is None or len(numbers) not in (2, 4):
        raise GlamError(f"--object {text}: {what!r} is not {_FORMS}")
    place = Prompt(int(match["episode"] or 0), match["camera"], name, int(match["frame"]))
    if len(numbers) == 4:
        return Prompt(place.episode, place.camera, name, place.frame, box=numbers)
    return Prompt(place.episode, place.camera, name, place.frame, on=((numbers[0], numbers[1]),))


def _merged(prompts: Iterable[Prompt]) -> tuple[Prompt, ...]:
    """One prompt for each object, camera, episode and frame, with all the clicks that were given for it."""
    found: dict[tuple[int, str, str, int], Prompt] = {}
    for new in prompts:
        place = (new.episode, new.camera, new.object, new.frame)
        old = found.get(place, Prompt(*place))
        clicks = dict.fromkeys((*old.on, *new.on)), dict.fromkeys((*old.off, *new.off))
        found[place] = Prompt(*place, tuple(clicks[0]), tuple(clicks[1]), new.box or old.box, new.doubt)
    return tuple(found.values())


def _require_there(prompt: Prompt, prompts: Prompts, dataset: Dataset) -> None:
    where = prompt.title
    if prompt.object not in prompts.objects:
        raise UnknownNameError("object", prompt.object, prompts.objects)
    if prompt.camera not in dataset.schema.cameras:
        raise UnknownNameError("camera", prompt.camera, dataset.schema.cameras)
    if not 0 <= prompt.episode < len(dataset.episodes):
        raise GlamError(f"{where}: {dataset.root} has episodes 0 to {len(dataset.episodes) - 1}")
    if not 0 <= prompt.frame < dataset.episodes[prompt.episode].length:
        raise GlamError(f"{where}: the episode has frames 0 to {dataset.episodes[prompt.episode].length - 1}")
    if not prompt.on and not prompt.box:
        raise GlamError(f"{where}: needs a click on the object or a box around it")
    _require_inside(prompt, dataset.schema.image_size)


def _require_inside(prompt: Prompt, size: tuple[int, int]) -> None:
    box, (height, width) = prompt.box, size
    if box and not (len(box) == 4 and box[0] < box[2] and box[1] < box[3]):
        raise GlamError(f"{prompt.title}: a box must be left, upper, right, lower with left < right and upper < lower")
    corners = ((box[0], box[1]), (box[2], box[3])) if box else ()
    for x, y in (*prompt.on, *prompt.off, *corners):
        if not (0 <= x <= width and 0 <= y <= height):
            raise GlamError(f"{prompt.title}: ({x:g}, {y:g}) is outside the image of {width} x {height} pixels")
