"""Check of `meta/info.json`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glam.core.errors import GlamError
from glam.core.files import contained, read_json
from glam.data.check.finding import Checking, Finding
from glam.data.dataset_info import MOST_FPS, DeclaredFeature, is_template, parse_feature
from glam.data.layout import CODEBASE_VERSION, DATA_TEMPLATE, INFO, OLDER_VERSIONS, RECORDING, VIDEO_TEMPLATE
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, INDEX_FEATURES, MASK_PREFIX, POSE_SIZE, STATE
from glam.data.tracks import EE_TRACKS, cameras_in


@dataclass(frozen=True)
class CheckedInfo:
    """Valid entries of `meta/info.json`; invalid ones keep their defaults and have been reported."""

    fps: float = 0.0
    """0 when unknown."""
    features: dict[str, DeclaredFeature] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    """`total_episodes`, `total_frames`, `total_tasks`, as far as they are given."""
    data_path: str = DATA_TEMPLATE
    video_path: str = VIDEO_TEMPLATE

    @property
    def videos(self) -> tuple[str, ...]:
        """Keys of the features that live in mp4 files."""
        return tuple(key for key, feature in self.features.items() if feature.dtype == "video")

    def image_size(self, key: str) -> tuple[int, int]:
        """Declared height and width; (0, 0) when there are none."""
        shape = self.features[key].shape if key in self.features else ()
        return (shape[0], shape[1]) if len(shape) == 3 else (0, 0)


def recorded_info(root: Path) -> CheckedInfo:
    """Content of a lost `info.json` according to `meta/recording.json`; empty without that file.

    With it the other files can be checked although `info.json` is lost.
    """
    try:
        noted = read_json(contained(root, RECORDING))["schema"]
        read = {key: _feature(raw) for key, raw in noted["features"].items()}
        features = {key: feature for key, feature in read.items() if feature is not None}
        automatic = {key: DeclaredFeature(dtype, (1,)) for key, dtype in INDEX_FEATURES.items()}
        return CheckedInfo(float(noted["fps"]), features | automatic)
    except (GlamError, OSError, KeyError, TypeError, ValueError, AttributeError):
        return CheckedInfo()


def check_info(root: Path) -> Checking[CheckedInfo]:
    """Read and check `meta/info.json`."""
    if not (root / INFO).is_file():
        yield Finding("file-missing", INFO, "no such file, so this is not a LeRobot v3.0 dataset")
        return recorded_info(root)
    raw = read_json(contained(root, INFO))
    if not isinstance(raw, dict):
        yield Finding("info", INFO, f"is a {type(raw).__name__}, not an object")
        return recorded_info(root)
    version = raw.get("codebase_version")
    if version != CODEBASE_VERSION:
        remedy = "; glam data adopt makes such a dataset of it" if version in OLDER_VERSIONS else ""
        yield Finding("version", INFO, f"codebase_version is {version!r}, not {CODEBASE_VERSION!r}{remedy}")
    fps = yield from _positive(raw, "fps")
    features = yield from _features(raw.get("features"))
    totals = yield from _totals(raw)
    data_path = yield from _template(raw, "data_path", DATA_TEMPLATE)
    video_path = VIDEO_TEMPLATE
    if any(feature.dtype == "video" for feature in features.values()):
        video_path = yield from _template(raw, "video_path", VIDEO_TEMPLATE)
    yield from _schema(features)
    return CheckedInfo(fps, features, totals, data_path, video_path)


def _positive(raw: dict[str, Any], key: str) -> Checking[float]:
    value = raw.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < MOST_FPS:
        return float(value)
    yield Finding("info", INFO, f"{key} is {value!r}, not a positive number")
    return 0.0


def _totals(raw: dict[str, Any]) -> Checking[dict[str, int]]:
    totals = {}
    for key in ("total_episodes", "total_frames", "total_tasks"):
        value = raw.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            totals[key] = value
        else:
            yield Finding("info", INFO, f"{key} is {value!r}, not a whole number")
    return totals


def _template(raw: dict[str, Any], key: str, default: str) -> Checking[str]:
    value = raw.get(key)
    if isinstance(value, str) and is_template(value):
        return value
    yield Finding("info", INFO, f"{key} is {value!r}; it must be a path such as {default!r}")
    return default


def _features(raw: Any) -> Checking[dict[str, DeclaredFeature]]:
    if not isinstance(raw, dict) or not raw:
        yield Finding("info", INFO, "features is missing or empty")
        return {}
    features = {}
    for key, value in raw.items():
        feature = _feature(value)
        if feature is not None:
            features[key] = feature
        else:
            yield Finding("feature", INFO, f"feature {key!r} lacks a dtype and a shape of positive whole numbers")
    for key, dtype in INDEX_FEATURES.items():
        if key not in raw:
            yield Finding("feature", INFO, f"the automatic feature {key!r} is missing")
        elif key in features and features[key].dtype != dtype:
            yield Finding("feature", INFO, f"feature {key!r} is {features[key].dtype}, not {dtype}")
    return features


def _is_image(key: str, feature: DeclaredFeature) -> bool:
    return key.startswith(IMAGE_PREFIX) and len(feature.shape) == 3


def _feature(value: Any) -> DeclaredFeature | None:
    feature = parse_feature(value)
    return feature if feature is not None and all(side > 0 for side in feature.shape) else None


def _schema(features: dict[str, DeclaredFeature]) -> Iterator[Finding]:
    """Check the features that we use; others are ignored."""
    for key, feature in features.items():
        if key in (EE_POSE, EE_TRACKS, STATE, ACTION) and not feature.is_vector:
            problem = f"{key} is {feature.dtype} of shape {list(feature.shape)}, not a vector of floats"
            yield Finding("feature", INFO, problem)
        elif key in (EE_POSE, EE_TRACKS, STATE, ACTION) and feature.names and len(feature.names) != feature.shape[0]:
            yield Finding("feature", INFO, f"{key} has {feature.shape[0]} values but {len(feature.names)} names")
        elif key.startswith((IMAGE_PREFIX, MASK_PREFIX)) and len(feature.shape) != 3:
            yield Finding("feature", INFO, f"{key} has shape {list(feature.shape)}, not height, width, channels")
    sizes = {key: feature.shape[:2] for key, feature in features.items() if _is_image(key, feature)}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{key} {width} x {height}" for key, (height, width) in sizes.items())
        yield Finding("camera-sizes", INFO, f"the cameras differ in size: {listed}")
    if EE_TRACKS in features:
        yield from _tracks(features)
    if EE_POSE in features and features[EE_POSE].is_vector and features[EE_POSE].shape[0] % POSE_SIZE:
        size = features[EE_POSE].shape[0]
        yield Finding("feature", INFO, f"{EE_POSE} has {size} values, not {POSE_SIZE} for each arm")


def _tracks(features: dict[str, DeclaredFeature]) -> Iterator[Finding]:
    """Tracks must be named, and be of cameras that the set has."""
    try:
        _, cameras = cameras_in(features[EE_TRACKS].names)
    except GlamError as error:
        yield Finding("feature", INFO, str(error))
        return
    for camera in cameras:
        if IMAGE_PREFIX + camera not in features:
            yield Finding("feature", INFO, f"{EE_TRACKS} is of the camera {camera}, which the set does not have")
