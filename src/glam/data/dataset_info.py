"""`meta/info.json` of any LeRobotDataset v3.0: read, checked, and the schema that its declared features amount to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout
from glam.data.image_codecs import require_modest
from glam.data.journal import acknowledged
from glam.data.schema import (
    ACTION,
    DELTA_ACTIONS,
    EE_POSE,
    IMAGE_PREFIX,
    MASK_PREFIX,
    POSE_NAMES,
    POSE_SIZE,
    STATE,
    Schema,
)
from glam.data.tracks import EE_TRACKS, cameras_in

ONE_ARM = ("arm",)
"""Name of the arm of a robot that has one."""
_IMAGES = ("video", "image")
MOST_SIDE = 1_000_000
"""Entries of a feature along one axis."""
MOST_ENTRIES = 10_000
"""Numbers in a state, an action or a pose; each has a name, and weights in every network."""
MOST_FPS = 100_000


@dataclass(frozen=True)
class DeclaredFeature:
    """One entry of `features`."""

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...] = ()
    """Names of the entries of a vector, or of the axes of an image; empty when the file has none."""
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Further facts, such as those of a video."""

    @property
    def is_image(self) -> bool:
        """True for videos and for images in data files."""
        return self.dtype in _IMAGES and len(self.shape) == 3

    @property
    def is_vector(self) -> bool:
        """True for lists of floats."""
        return len(self.shape) == 1 and self.dtype in ("float32", "float64")

    @property
    def is_numbers(self) -> bool:
        """True for lists of numbers of any type."""
        return len(self.shape) == 1 and self.dtype.startswith(("float", "int", "uint"))

    @property
    def is_depth(self) -> bool:
        """True for depth images."""
        return bool(self.info.get("video.is_depth_map") or self.info.get("is_depth_map"))

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """Height, width and channels. Some datasets declare channels first, but store images like all others."""
        first, second, third = self.shape
        is_channels_first = bool(self.names) and self.names[0].startswith("channel")
        return (second, third, first) if is_channels_first else (first, second, third)


def parse_feature(value: Any) -> DeclaredFeature | None:
    """One entry of `features`; None unless it has a dtype and a shape of whole numbers, none of them absurd."""
    if not isinstance(value, dict) or not isinstance(value.get("dtype"), str):
        return None
    shape, info = value.get("shape"), value.get("info")
    if not isinstance(shape, list) or not all(type(side) is int and side <= MOST_SIDE for side in shape):
        return None
    return DeclaredFeature(value["dtype"], tuple(shape), _names(value), info if isinstance(info, Mapping) else {})


def _names(feature: Mapping[str, Any]) -> tuple[str, ...]:
    """Names in a feature; LeRobot allows a list, groups such as {"motors": [...]}, or nothing."""
    names = feature.get("names")
    groups = names.values() if isinstance(names, Mapping) else [names]
    return tuple(str(name) for group in groups if isinstance(group, list) for name in group)


def schema_of(
    features: Mapping[str, DeclaredFeature], fps: int, arms: tuple[str, ...], objects: tuple[str, ...]
) -> Schema:
    """The schema of a dataset from its features; empty `arms` or `objects` are inferred."""
    cameras = tuple(key.removeprefix(IMAGE_PREFIX) for key in features if key.startswith(IMAGE_PREFIX))
    if not cameras:
        raise GlamError(f"no camera: no feature begins with {IMAGE_PREFIX}; it has {', '.join(features)}")
    is_target = ACTION in features
    if is_target and STATE not in features:
        raise GlamError(f"an {ACTION} but no {STATE}; map one of {', '.join(features)} to it")
    found = _arms_of(features, arms)
    return Schema(
        fps=fps,
        image_size=_image_size(features, cameras),
        cameras=cameras,
        objects=_objects(features, cameras, objects),
        arms=found,
        has_pose=EE_POSE in features,
        track_cameras=cameras_in(features[EE_TRACKS].names, found)[1] if EE_TRACKS in features else (),
        state_names=_entries(STATE, features[STATE]) if is_target else (),
        action_names=_entries(ACTION, features[ACTION]) if is_target else (),
        delta_actions=delta_actions_in(features[ACTION]) if is_target else (),
    )


def delta_actions_in(action: DeclaredFeature) -> tuple[str, ...]:
    """Entries that the feature `action` declares to be deltas."""
    names = action.info.get(DELTA_ACTIONS, [])
    if not isinstance(names, list):
        raise GlamError(f"{ACTION}: {DELTA_ACTIONS} is {names!r}; it must be a list of names")
    return tuple(str(name) for name in names)


def _image_size(features: Mapping[str, DeclaredFeature], cameras: tuple[str, ...]) -> tuple[int, int]:
    sizes = {}
    for camera in cameras:
        shape = features[IMAGE_PREFIX + camera].shape
        if len(shape) != 3 or shape[2] != 3:
            raise GlamError(f"{IMAGE_PREFIX}{camera} has shape {shape}; it must be (height, width, 3)")
        require_modest(IMAGE_PREFIX + camera, shape[0], shape[1])
        sizes[camera] = (int(shape[0]), int(shape[1]))
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{camera} {height}x{width}" for camera, (height, width) in sizes.items())
        raise GlamError(f"cameras of different sizes ({listed}); all must have the same")
    return sizes[cameras[0]]


def _objects(
    features: Mapping[str, DeclaredFeature], cameras: tuple[str, ...], known: tuple[str, ...]
) -> tuple[str, ...]:
    masked = [camera for camera in cameras if MASK_PREFIX + camera in features]
    if not masked and not known:
        return ()
    shapes = {camera: features[MASK_PREFIX + camera].shape if camera in masked else () for camera in cameras}
    size = _image_size(features, cameras)
    channels = len(known) or shapes[masked[0]][-1]
    for camera, shape in shapes.items():
        if shape != (*size, channels):
            raise GlamError(f"{MASK_PREFIX}{camera} has shape {shape}; it must be {(*size, channels)}")
    return known or tuple(f"object{number}" for number in range(channels))


def _arms_of(features: Mapping[str, DeclaredFeature], known: tuple[str, ...]) -> tuple[str, ...]:
    """Arms as the poses name them, or else the tracks."""
    if EE_POSE in features:
        return _arms(features[EE_POSE], known)
    if EE_TRACKS in features and not known:
        return cameras_in(features[EE_TRACKS].names)[0]
    return known or ONE_ARM


def _arms(feature: DeclaredFeature, known: tuple[str, ...]) -> tuple[str, ...]:
    entries = _entries(EE_POSE, feature)
    size = len(entries)
    if size == 0 or size % POSE_SIZE or (known and size != POSE_SIZE * len(known)):
        wanted = ", ".join(POSE_NAMES)
        raise GlamError(f"{EE_POSE} has {size} entries; it must have {POSE_SIZE} for each arm: {wanted}")
    named = tuple(dict.fromkeys(entry.rpartition(".")[0] for entry in entries))
    if all(named) and entries == tuple(f"{arm}.{name}" for arm in named for name in POSE_NAMES):
        return known or named
    count = size // POSE_SIZE
    return known or (ONE_ARM if count == 1 else tuple(f"arm{number}" for number in range(count)))


def _entries(key: str, feature: DeclaredFeature) -> tuple[str, ...]:
    """Names of a vector's entries, or else their numbers."""
    shape, names = feature.shape, feature.names
    if len(shape) != 1:
        raise GlamError(f"{key} has shape {shape}; it must be one list of numbers")
    if shape[0] > MOST_ENTRIES:
        raise GlamError(f"{key} has {shape[0]} entries; at most {MOST_ENTRIES} are read")
    return names if len(names) == shape[0] else tuple(f"{number}" for number in range(shape[0]))


@dataclass(frozen=True)
class DatasetInfo:
    """Content of `meta/info.json` that readers need."""

    path: Path
    fps: int
    features: dict[str, DeclaredFeature]
    total_episodes: int
    total_frames: int
    data_path: str
    video_path: str
    """Empty when the set has no video."""
    robot: str
    """Empty when unknown."""

    def data_file(self, chunk: int, file: int) -> Path:
        """Path of a data file."""
        return self._filled(self.data_path, chunk_index=chunk, file_index=file)

    def video_file(self, key: str, chunk: int, file: int) -> Path:
        """Path of a video file."""
        return self._filled(self.video_path, video_key=key, chunk_index=chunk, file_index=file)

    def _filled(self, template: str, **values: Any) -> Path:
        try:
            name = template.format(**values) if is_template(template) else ""
        except KeyError:
            name = ""
        if not name:
            raise GlamError(f"{self.path}: {template[:200]!r} is not a path template with {', '.join(values)}")
        return files.contained(self.path.parents[1], name)


# What a path template may hold; anything else in braces could make `format` do more than fill in a number.
_PLACE = re.compile(r"\{(video_key|chunk_index(:0?\d{1,2}d?)?|file_index(:0?\d{1,2}d?)?)\}")


def is_template(text: str) -> bool:
    """True if nothing but chunk, file and video key is to be filled in."""
    return not set("{}") & set(_PLACE.sub("", text))


def read_info(root: Path) -> DatasetInfo:
    """The description of a published dataset, or a sentence on why there is none."""
    if not root.is_dir():
        raise GlamError(f"{root}: no such folder")
    path = files.contained(root, layout.INFO)
    if not path.exists():
        _explain_absence(root)
    content = files.read_json(path)
    version = content.get("codebase_version") if isinstance(content, dict) else None
    if version in layout.OLDER_VERSIONS:
        remedy = f"make a {layout.CODEBASE_VERSION} dataset of it with glam data adopt"
        raise GlamError(f"{path}: codebase version {version}; {remedy}")
    if version != layout.CODEBASE_VERSION:
        raise GlamError(f"{path}: codebase version {version}; convert the dataset to {layout.CODEBASE_VERSION}")
    return parse_info(path, content)


def parse_info(path: Path, content: dict[str, Any]) -> DatasetInfo:
    """The content of an `info.json`, checked."""
    kinds = {"fps": int, "features": dict, "total_episodes": int, "total_frames": int, "data_path": str}
    if isinstance(content.get("fps"), float) and content["fps"].is_integer():
        content["fps"] = int(content["fps"])  # some converters write 30.0
    fields: dict[str, Any] = {name: _field(path, content, name, kind) for name, kind in kinds.items()}
    if not 1 <= fields["fps"] < MOST_FPS:
        raise GlamError(f"{path}: fps is {fields['fps']!r:.40}; it must be from 1 to {MOST_FPS}")
    fields["features"] = {key: _feature(path, key, value) for key, value in fields["features"].items()}
    video_path, robot = (str(content.get(name) or "") for name in ("video_path", "robot_type"))
    return DatasetInfo(path, **fields, video_path=video_path, robot=robot)


def _explain_absence(root: Path) -> None:
    if not (root / layout.RECORDING).exists():
        raise GlamError(f"{root}: not a LeRobot dataset: it has no {layout.INFO}")
    count = len(acknowledged(root))
    raise GlamError(f"{root}: unfinished recording, {count} episodes are safe; finish it with the same collect command")


def _field(path: Path, content: dict[str, Any], name: str, kind: type) -> Any:
    value = content.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise GlamError(f"{path}: {name} is {value!r}; it must be of type {kind.__name__}")
    return value


def _feature(path: Path, key: str, value: Any) -> DeclaredFeature:
    if "/" in key or not key.isprintable():
        raise GlamError(f"{path}: feature {key[:100]!r} has a name with a slash, or with what cannot be shown")
    feature = parse_feature(value)
    if feature is None:
        raise GlamError(f"{path}: feature {key} must have a dtype and a shape of whole numbers up to {MOST_SIDE}")
    return feature
