"""Integrity of the files: missing, changed or left-over ones, and actions in a set whose role forbids them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from glam.core.errors import GlamError
from glam.core.files import PathOutsideError, contained, listed, sha256
from glam.data import manifest
from glam.data.check.data_files import column_names
from glam.data.check.finding import Checking, Finding
from glam.data.check.info import CheckedInfo
from glam.data.layout import INFO, JOURNAL, LOCK, MANIFEST, RECORDING
from glam.data.manifest import LATENTS, Manifest
from glam.data.schema import ACTION, EE_POSE, IMAGE_PREFIX, INDEX_FEATURES, MASK_PREFIX, POSE_SIZE, STATE
from glam.data.tracks import EE_TRACKS

_FOLDERS = ("meta", "data", "videos", "images")  # other files, such as a README, are not checked
_TEMPORARY = ".tmp"  # whoever left it
NO_MANIFEST = Manifest(role="", arms=[], objects=[], description={}, facts=[], histograms={}, files={})
"""Of a set that was written by other software, or whose manifest cannot be trusted."""


def check_finished(root: Path) -> Checking[bool]:
    """Check that recording has finished; returns whether `info.json` exists or should exist."""
    waiting = sorted((root / JOURNAL).glob("*.json"))
    if waiting:
        yield Finding("unfinished", JOURNAL, f"{len(waiting)} recorded episodes are not part of the set yet")
    elif (root / RECORDING).is_file() and not (root / INFO).is_file():
        yield Finding("unfinished", RECORDING, "a recording was begun here and never finished")
    return (root / INFO).is_file() or not (root / RECORDING).is_file()


def check_manifest(root: Path) -> Checking[Manifest]:
    """Read `meta/glam.json`; a set of other software has none, and that is well."""
    if not (root / MANIFEST).is_file():
        return NO_MANIFEST
    try:
        return manifest.read(root)[0]
    except PathOutsideError as error:
        yield Finding("path-outside", MANIFEST, str(error).removeprefix(f"{root}: "))
        return NO_MANIFEST
    except GlamError as error:
        problem = str(error).removeprefix(f"{root / MANIFEST}: ").split(";")[0]
        yield Finding("manifest", MANIFEST, f"{problem}, so no checksum can be compared")
        return NO_MANIFEST


def check_content(root: Path, recorded: Manifest, reported: frozenset[str]) -> Checking[None]:
    """Compare every file with its checksum. That one of `reported` is missing, another check says."""
    for file, digest in sorted(recorded.files.items()):
        path = contained(root, file)
        if not path.is_file():
            if file not in reported:
                yield Finding("file-missing", file, "no such file, but the manifest lists it")
        elif sha256(path) != digest:
            yield Finding("checksum", file, "the sha256 of its content is not the recorded one")


def check_surplus(root: Path, recorded: Manifest, used: frozenset[str]) -> Checking[None]:
    """Files that nothing refers to; `used` are those of the episodes."""
    known = {MANIFEST, LOCK, *recorded.files, *used}
    for file in _files(root):
        if file.endswith(_TEMPORARY) or file.startswith("images/"):
            yield Finding("leftover", file, "a temporary file")
        elif file in known or (root / JOURNAL).is_dir():
            continue  # while episodes wait in the journal, their videos lie in place already
        elif recorded.files or (used and file.startswith(("data/", "videos/"))):
            yield Finding("file-unknown", file, "no episode and no list of files mentions it")


def check_links(root: Path) -> Checking[None]:
    """A link inside a dataset may lead to any file of the user's; readers refuse it."""
    try:
        for _ in listed(root, _FOLDERS):
            pass
    except GlamError as error:
        problem = str(error).removeprefix(f"{root}/")
        yield Finding("path-outside", problem.split(":")[0], problem.partition(": ")[2])


def _files(root: Path) -> list[str]:
    found = (path for folder in _FOLDERS for path in (root / folder).rglob("*") if not path.is_dir())
    return sorted(path.relative_to(root).as_posix() for path in found)


_STATISTICS = "stats/"


def check_role(info: CheckedInfo, recorded: Manifest) -> Iterator[Finding]:
    """Compare the features with the role in `meta/glam.json`."""
    yield from check_columns(INFO, tuple(info.features), recorded)
    for key in (STATE, ACTION):
        if recorded.role == "target" and info.features and key not in info.features:
            yield Finding("role", INFO, f"has no {key!r} although the set is declared a target")
    yield from _sizes(info, recorded)


def check_columns(file: str, names: Iterable[str], recorded: Manifest) -> Iterator[Finding]:
    """Names of features in `file`; an auxiliary set may have harmless ones, and those of a relabelled copy."""
    if recorded.role == "auxiliary":
        declared = recorded.description.get(LATENTS, {}).get("features", [])
        for name in names:
            if not _is_harmless(name) and name not in declared:
                yield Finding("role", file, f"holds {name!r} although the set is declared auxiliary")


def check_statistics_columns(root: Path, file: str, recorded: Manifest) -> Checking[None]:
    """The table of episodes holds statistics of every feature: of an auxiliary set none may be of actions."""
    names = {name.split("/")[1] for name in column_names(contained(root, file)) if name.startswith(_STATISTICS)}
    yield from check_columns(file, sorted(names), recorded)


def _is_harmless(key: str) -> bool:
    return key in (EE_POSE, EE_TRACKS) or key in INDEX_FEATURES or key.startswith((IMAGE_PREFIX, MASK_PREFIX))


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
