"""Role of a dataset: an auxiliary set must not hold actions anywhere, nor statistics of them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from glam.data.check.data_files import column_names
from glam.data.check.finding import Checking, Finding
from glam.data.check.info import CheckedInfo
from glam.data.layout import INFO
from glam.data.manifest import LATENTS, Manifest
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, INDEX_FEATURES, MASK_PREFIX, POSE_SIZE, STATE

_STATISTICS = "stats/"


def check_role(info: CheckedInfo, recorded: Manifest) -> Iterator[Finding]:
    """Compare the features with the role in `meta/glam.json`."""
    yield from check_columns(INFO, tuple(info.features), recorded)
    for key in (STATE, ACTION):
        if recorded.role == "target" and info.features and key not in info.features:
            yield Finding("role", INFO, f"has no {key!r} although the set is declared a target")
    yield from _sizes(info, recorded)


def check_columns(file: str, names: Iterable[str], recorded: Manifest) -> Iterator[Finding]:
    """Names of features in `file`; an auxiliary set may have harmless ones, and those that a labelled copy declares."""
    if recorded.role == "auxiliary":
        declared = recorded.description.get(LATENTS, {}).get("features", [])
        for name in names:
            if not _is_harmless(name) and name not in declared:
                yield Finding("role", file, f"holds {name!r} although the set is declared auxiliary")


def check_statistics_columns(root: Path, file: str, recorded: Manifest) -> Checking[None]:
    """The table of episodes holds statistics of every feature: of an auxiliary set none may be of actions."""
    names = {name.split("/")[1] for name in column_names(root / file) if name.startswith(_STATISTICS)}
    yield from check_columns(file, sorted(names), recorded)


def _is_harmless(key: str) -> bool:
    return key == EE_POSE or key in INDEX_FEATURES or key.startswith((IMAGE_PREFIX, MASK_PREFIX))


def _sizes(info: CheckedInfo, recorded: Manifest) -> Iterator[Finding]:
    if not recorded.role:
        return
    for key, feature in info.features.items():
        if key == EE_POSE and feature.shape != (POSE_SIZE * len(recorded.arms),):
            arms = ", ".join(recorded.arms)
            yield Finding("feature", INFO, f"{key} has shape {list(feature.shape)}, not {POSE_SIZE} for each of {arms}")
        if key.startswith(MASK_PREFIX) and feature.shape[2:] != (len(recorded.objects),):
            objects = ", ".join(recorded.objects) or "no object"
            yield Finding(
                "feature", INFO, f"{key} has shape {list(feature.shape)}, not one channel for each of {objects}"
            )
