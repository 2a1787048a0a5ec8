"""Reading `meta/info.json` of any LeRobotDataset v3.0: present, of the right version, and of the right form."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from glam.core import files
from glam.core.errors import GlamError
from glam.data import layout
from glam.data.declared_features import DeclaredFeature, parse_feature
from glam.data.journal import acknowledged


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

    def data_file(self, chunk: int, file: int) -> str:
        """Path of a data file, relative to the root."""
        return self._filled(self.data_path, chunk_index=chunk, file_index=file)

    def video_file(self, key: str, chunk: int, file: int) -> str:
        """Path of a video file, relative to the root."""
        return self._filled(self.video_path, video_key=key, chunk_index=chunk, file_index=file)

    def _filled(self, template: str, **values: Any) -> str:
        try:
            path = PurePosixPath(template.format(**values))
        except (LookupError, ValueError, AttributeError):
            raise GlamError(f"{self.path}: {template!r} is not a path template with {', '.join(values)}") from None
        if path.is_absolute() or ".." in path.parts:
            raise GlamError(f"{self.path}: {template!r} leads outside the dataset; name only files below its folder")
        return str(path)


def read_info(root: Path) -> DatasetInfo:
    """The description of a published dataset, or a sentence on why there is none."""
    path = root / layout.INFO
    if not root.is_dir():
        raise GlamError(f"{root}: no such folder")
    if not path.exists():
        _explain_absence(root)
    content = files.read_json(path)
    if not isinstance(content, dict) or content.get("codebase_version") != layout.CODEBASE_VERSION:
        version = content.get("codebase_version") if isinstance(content, dict) else None
        wanted = layout.CODEBASE_VERSION
        raise GlamError(f"{path}: codebase version {version}; convert the dataset to {wanted} with LeRobot")
    kinds = {"fps": int, "features": dict, "total_episodes": int, "total_frames": int, "data_path": str}
    if isinstance(content.get("fps"), float) and content["fps"].is_integer():
        content["fps"] = int(content["fps"])  # some converters write 30.0
    fields: dict[str, Any] = {name: _field(path, content, name, kind) for name, kind in kinds.items()}
    if fields["fps"] < 1:
        raise GlamError(f"{path}: fps is {fields['fps']}; it must be a positive number")
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
    feature = parse_feature(value)
    if feature is None:
        raise GlamError(f"{path}: feature {key} must have a dtype and a shape")
    return feature
