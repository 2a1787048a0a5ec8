"""Names that records of version 0.1 use, and the present ones. To be deleted with the last of these records."""

from typing import Any

KEYS = {
    "node": "config",
    "scale": "preset",
    "robot": "embodiment",
    "execute": "n_action_steps",
    "memory": "temporal_ensemble_weight",
    "eyes_error": "keypoint_error",  # old word
}
DETAILS = {
    "5 actions executed, no memory": "n_action_steps 5, no temporal ensembling",
    "10 actions executed, no memory": "n_action_steps 10, no temporal ensembling",
    "20 actions executed, no memory": "n_action_steps 20, no temporal ensembling",
    "10 actions executed, memory 0.5": "n_action_steps 10, temporal ensembling weight 0.5",  # old word
    "no noise on pose and state": "no proprio noise",
    "state never hidden": "no state dropout",
    "state always hidden": "state always dropped",
    "frozen pretrained eyes": "frozen pretrained encoder",  # old word
    "labels not decoded": "no loss on decoded actions",
    "keypoints a quarter as important": "keypoint loss at a quarter of its weight",
    "keypoints a quarter as important, twice as many steps": (
        "keypoint loss at a quarter of its weight, twice as many steps"
    ),
    "keypoints four times as important": "keypoint loss at four times its weight",
    "no keypoints": "no keypoint loss",
    "images not shifted": "images not shifted",  # old word
    "images shifted by up to 2 pixels": "images shifted by up to 2 pixels",  # old word
}


def renamed(value: Any) -> Any:
    """A record with the present names of its keys and details."""
    if isinstance(value, dict):
        return {KEYS.get(key, key): _detail(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item) for item in value]
    return value


def _detail(key: str, item: Any) -> Any:
    return DETAILS.get(item, item) if key == "detail" else renamed(item)
