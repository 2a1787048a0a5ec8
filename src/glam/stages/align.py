"""`glam data align`: a copy of an auxiliary set whose poses are in the target's frame, found in the images."""

from pathlib import Path

from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.aligned_copy import Alignment, require_new, write_aligned
from glam.data.demonstrations import shared
from glam.data.reader import Dataset


def align(source: Path, target: Path, out: Path, progress: Progress = no_progress) -> Alignment:
    """Write the copy; refuses sets in which nothing could tell the frame."""
    require_new(out)
    if out.resolve().is_relative_to(source.resolve()):
        raise GlamError(f"--out {out}: lies inside {source}; choose a folder outside")
    known, other = Dataset.open(target), Dataset.open(source)
    common = shared([known.schema, other.schema])
    for one in (known, other):
        if not one.schema.has_pose:
            raise GlamError(f"{one.root}: has no end-effector pose, so there is nothing to align; see docs/regimes.md")
        if len(one.schema.arms) != 1:
            raise GlamError(f"{one.root}: has {len(one.schema.arms)} arms; only sets with one arm can be aligned")
    if not common.has_masks or not common.cameras:
        problem = "both sets need masks of the same objects in a camera that both have"
        raise GlamError(f"{source} and {target}: {problem}; make them with glam data masks")
    return write_aligned(other, known, common.cameras, out, progress)


def sentence(found: Alignment) -> str:
    """Result in a sentence."""
    told = f"one frame tells the tool to {found.sigma_mm:.0f} mm, an episode of many frames better"
    start = f"; {found.by_start} of {found.episodes} episodes carry too little and begin as the target's usually do"
    tilt = f"; the tool was turned by {found.tilt_degrees:.0f} degrees" if found.tilt_degrees > 0.5 else ""
    factor, summand = found.gripper
    units = f"; openings times {factor:.2f} plus {summand:.2f}" if (factor, summand) != (1.0, 0.0) else ""
    return f"{found.episodes} episodes aligned: {told}{start if found.by_start else ''}{tilt}{units}"
