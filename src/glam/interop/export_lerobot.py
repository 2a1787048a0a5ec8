"""Files of a LeRobot folder `pretrained_model` for a GLAM policy, written without LeRobot.

The plugin `lerobot_policy_glam` reads them. The policy normalizes by itself: LeRobot's processors leave numbers as they
are, so that no other statistics can replace those of the training data.
"""

from pathlib import Path
from typing import Any

from glam.core import seals
from glam.core.configs import to_json
from glam.core.seals import json_bytes
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, STATE
from glam.interop.exported_policy import Description, ExportedPolicy
from glam.training import tensors
from glam_client.action_chunking import ActionChunking

TYPE = "glam"
"""Name under which the plugin registers its policy."""
CONFIG, MODEL = "config.json", "model.safetensors"
PREPROCESSOR, POSTPROCESSOR = "policy_preprocessor", "policy_postprocessor"
_MODULE = "model."
"""Prefix of the weights' names: the attribute of the plugin's policy that holds the exported module."""
_AS_IS = dict.fromkeys(("VISUAL", "STATE", "ACTION"), "IDENTITY")


def contents(module: ExportedPolicy, chunking: ActionChunking, root: Path) -> dict[str, bytes]:
    """Content of each file; `root` is the folder they go to."""
    weights = {_MODULE + name: weight for name, weight in module.state_dict().items()}
    documents = {
        CONFIG: _config(module.description, chunking),
        f"{PREPROCESSOR}.json": _preprocessor(module.description),
        f"{POSTPROCESSOR}.json": _postprocessor(module.description),
    }
    return {
        **{name: json_bytes(value) for name, value in documents.items()},
        MODEL: tensors.to_bytes(weights, root / MODEL),
    }


def require_intact(folder: Path) -> None:
    """Refuse a folder of `glam export` in which a file is not what was exported; what LeRobot saved has no seal."""
    for name in seals.digests(folder) if seals.is_sealed(folder) else ():
        seals.read(folder, name)


def _config(description: Description, chunking: ActionChunking) -> dict[str, Any]:
    """`config.json`; without a device, so that LeRobot takes the best one."""
    size = description.policy.head.chunk_size
    return {
        "type": TYPE,
        "n_obs_steps": 1,
        "chunk_size": size,
        "n_action_steps": min(chunking.n_action_steps, size),
        "temporal_ensemble_weight": chunking.temporal_ensemble_weight,
        "input_features": _inputs(description),
        "output_features": _outputs(description),
        "normalization_mapping": _AS_IS,
        "device": None,
        "push_to_hub": False,
        "description": to_json(description),
    }


def _preprocessor(description: Description) -> dict[str, Any]:
    """Steps that LeRobot's commands expect, under the names by which they override them."""
    steps = [
        _step("rename_observations_processor", rename_map={}),
        _step("to_batch_processor"),
        _step("device_processor", device="cpu", float_dtype=None),
        _step("normalizer_processor", **_scaling(_inputs(description) | _outputs(description))),
    ]
    return {"name": PREPROCESSOR, "steps": steps}


def _postprocessor(description: Description) -> dict[str, Any]:
    steps = [
        _step("unnormalizer_processor", **_scaling(_outputs(description))),
        _step("device_processor", device="cpu", float_dtype=None),
    ]
    return {"name": POSTPROCESSOR, "steps": steps}


def _inputs(description: Description) -> dict[str, Any]:
    interface, sizes = description.interface, description.sizes.observation
    image = _feature("VISUAL", 3, interface.pixels, interface.pixels)
    vectors = {STATE: sizes.state, EE_POSE: description.pose_size}
    return {
        **{IMAGE_PREFIX + camera: image for camera in interface.cameras},
        **{name: _feature("STATE", size) for name, size in vectors.items() if size},
    }


def _outputs(description: Description) -> dict[str, Any]:
    return {ACTION: _feature("ACTION", description.sizes.action)}


def _feature(kind: str, *shape: int) -> dict[str, Any]:
    return {"type": kind, "shape": list(shape)}


def _scaling(features: dict[str, Any]) -> dict[str, Any]:
    return {"eps": 1e-8, "features": features, "norm_map": _AS_IS}


def _step(name: str, **config: Any) -> dict[str, Any]:
    return {"registry_name": name, "config": config}
