"""Frozen dataclass configs as JSON and back: an artefact stores the whole config that made it.

Reading and writing are in `glam_client.configs`, because a robot's computer reads configs too.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeVar

from glam.core.errors import GlamError
from glam_client.configs import from_json as from_json
from glam_client.configs import from_tagged_json as from_tagged_json
from glam_client.configs import to_json as to_json

Config = TypeVar("Config")


def changed(config: Config, changes: Mapping[str, Any]) -> Config:
    """The same config with other values, by names such as `fit.steps`."""
    value = to_json(config)
    for name, new in changes.items():
        *path, last = name.split(".")
        part = value
        for key in path:
            part = part.get(key) if isinstance(part, dict) else None
        if not isinstance(part, dict) or last not in part:
            raise GlamError(f"{type(config).__name__}: there is no field {name!r}")
        part[last] = to_json(new)
    return from_json(type(config), value)


def digest(config: Any) -> str:
    """Short hash of a config, equal for equal configs: 1 and 1.0 are the same number."""
    text = json.dumps(_canonical(to_json(config)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
