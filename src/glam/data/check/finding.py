"""Findings of a check: where a fault is and what to do about it; every kind of finding; findings as lines to print."""

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

Severity = Literal["error", "warning"]
Learnt = TypeVar("Learnt")
Checking = Generator["Finding", None, Learnt]
"""A check: it yields what is wrong, never stops at the first fault, and returns what it learnt for later checks."""

_RESTORE = "restore the file from a copy, or record or convert the dataset again"
_DROP = "leave the episode out, or record it again"


@dataclass(frozen=True)
class FindingKind:
    """One kind of finding."""

    severity: Severity
    remedy: str


def _error(remedy: str) -> FindingKind:
    return FindingKind("error", remedy)


def _warning(remedy: str) -> FindingKind:
    return FindingKind("warning", remedy)


KINDS: dict[str, FindingKind] = {
    # Files
    "unreadable": _error(_RESTORE),
    "file-missing": _error(_RESTORE),
    "checksum": _error(f"{_RESTORE}; its content is not what was recorded"),
    "manifest": _error(_RESTORE),
    "unfinished": _error("run the command that records it again; it resumes"),
    "leftover": _warning("delete it: a crash left it behind"),
    "file-unknown": _warning("delete it if nothing needs it: no episode refers to it"),
    "path-outside": _error("name only files below the dataset's folder"),
    # Description: info.json, episodes, tasks, role
    "info": _error("correct the entry in meta/info.json"),
    "version": _error("convert the dataset to LeRobot v3.0 with LeRobot's own converter"),
    "feature": _error("correct the entry in meta/info.json"),
    "camera-sizes": _warning("bring all cameras to one size before training on the set"),
    "role": _error("keep nothing but images, masks and poses in an auxiliary set, or declare it a target"),
    "count": _error("correct the number in meta/info.json"),
    "episodes-table": _error(_RESTORE),
    "episode-length": _error("correct meta/episodes, or restore the missing frames from a copy"),
    "episode-short": _error("leave the episode out: a transition needs two frames"),
    "episode-missing": _error(_RESTORE),
    "task": _error("give every episode a task text that meta/tasks.parquet lists"),
    # Rows of the data files
    "column": _error("make the columns and the features of meta/info.json agree"),
    "vector-length": _error("store as many values as meta/info.json declares for the feature"),
    "frame-gap": _error(f"{_DROP}: its frames are not one after the other"),
    "fps": _error("set fps in meta/info.json to the true rate, or resample what differs from it"),
    "stats": _error("recompute meta/stats.json from the data"),
    "duplicate": _warning("remove one of the two: a repeated episode counts double in training"),
    # Values
    "not-finite": _error(_DROP),
    "absurd": _error(_DROP),
    "rotation": _error("store the first two columns of a rotation matrix: unit length, at right angles"),
    "units-length": _error("store positions in metres"),
    "units-angle": _warning("store joint positions in radians"),
    "gripper-range": _error("store the opening in units of 10 cm or as a share of the stroke, 0 closed and 1 at most"),
    "gripper-constant": _warning("check that the gripper was recorded; ignore this if the task never moves it"),
    "teleport": _warning("check the pose tracking at that moment, and leave the episode out if it is wrong"),
    "joint-jump": _warning("unwrap joint angles so that they run on past a full turn"),
    "action-shift": _warning("store the command that leads from this frame to the next, not the one that led here"),
    # Tracks
    "track-visible": _error("store 1 where the point is seen and 0 where it is not"),
    "track-outside": _error("store u and v in units of the image, 0 to 1, and visible 0 for a point outside"),
    "track-hidden": _warning("track them in that camera, or leave the episode out: nothing tells where the hand is"),
    "track-swapped": _error("correct the clicks of the episode: left must stay the same finger"),
    # Images
    "video-frames": _error(f"{_DROP}: its frames and its rows no longer belong together"),
    "video-times": _error("encode the video again with a constant frame rate"),
    "image-size": _error("make the images and the shape in meta/info.json agree"),
    "image-blank": _warning("check the camera, and leave the episode out if the images are missing"),
    "video-frozen": _warning("check that the camera was running"),
    "mask-values": _error("store 0 for background and 255 for the object, losslessly"),
    "mask-empty": _error("check the segmentation: no camera ever sees the object"),
    "mask-empty-view": _warning("check the segmentation, or move the camera so that it sees the object"),
    "mask-equal": _warning("check the segmentation: two objects have the same mask"),
}  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One fault of a dataset: where it is and what to do about it. `code` is a key of `KINDS`."""

    code: str
    file: str
    """Path below the root of the dataset, with forward slashes."""
    problem: str
    episode: int | None = None
    """The episode concerned; None when the finding is about a file or the whole set."""
    frame: int | None = None
    """The first frame concerned, counted within its episode; None when all are."""

    @property
    def severity(self) -> Severity:
        """An error makes the dataset unusable; a warning should be looked at."""
        return KINDS[self.code].severity

    @property
    def remedy(self) -> str:
        """Advice to the user."""
        return KINDS[self.code].remedy

    @property
    def text(self) -> str:
        """All of it in one line."""
        place = [self.file]
        place += [] if self.episode is None else [f"episode {self.episode}"]
        place += [] if self.frame is None else [f"frame {self.frame}"]
        return " ".join(f"{self.severity} [{self.code}] {', '.join(place)}: {self.problem}; {self.remedy}".split())


def guarded(check: Checking[Learnt], file: str, otherwise: Learnt) -> Checking[Learnt]:
    """Run `check`; whatever it raises becomes a finding about `file`, and `otherwise` is what was learnt.

    Hostile bytes make readers raise almost anything (a parquet footer alone knows a dozen ways), and one bad file must
    not hide what is wrong with the others: therefore the broad net, here and nowhere else.
    """
    try:
        return (yield from check)
    except Exception as error:
        yield Finding("unreadable", file, f"cannot be read ({brief(error)})")
        return otherwise


def more(frames: int) -> str:
    """End of a sentence that counts the further frames with the same fault; empty when there are none."""
    return "" if frames < 2 else f", and in {frames - 1} more frame{'s' if frames > 2 else ''}"


def brief(error: BaseException) -> str:
    """The gist of an exception in at most 160 characters of one line."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words}"[:160] if words else type(error).__name__


def lines(findings: Sequence[Finding], most: int = 10) -> tuple[str, ...]:
    """One line for each finding, at most `most` of each kind, how many were left out, and the sum."""
    shown: Counter[str] = Counter()
    listed = []
    for finding in findings:
        shown[finding.code] += 1
        if shown[finding.code] <= most:
            listed.append(finding.text)
    listed += [f"and {count - most} more [{code}]" for code, count in shown.items() if count > most]
    return (*listed, _sum(findings))


def has_errors(findings: Sequence[Finding]) -> bool:
    """True if a finding makes the dataset unusable."""
    return any(finding.severity == "error" for finding in findings)


def _sum(findings: Sequence[Finding]) -> str:
    count = Counter(finding.severity for finding in findings)
    words = [f"{count[severity]} {severity}{'' if count[severity] == 1 else 's'}" for severity in ("error", "warning")]
    return " and ".join(words) if findings else "no problems found"
