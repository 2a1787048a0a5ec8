"""`glam data tracks`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from glam.commands.console import bar, say
from glam.commands.engines import EngineName, pool_of
from glam.core.errors import GlamError
from glam.core.workers import Progress

if TYPE_CHECKING:  # numpy takes a moment to import, and --help does without
    from glam.stages.tracks import Tracked


@dataclass(frozen=True)
class Tracks:
    """Follow the fingertips through all episodes, from two clicks per arm and camera, or project known poses.

    Writes a copy of the dataset with observation.ee_tracks, and a film to check it by. The same command resumes an
    interrupted run.
    """

    root: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")]
    """Folder of a LeRobot v3.0 dataset; it is not changed."""
    out: Path
    """Folder of the copy with tracks."""
    prompts: Path | None = None
    """JSON file with clicks on the left and the right fingertip."""
    camera: Path | None = None
    """Instead of clicks: JSON file with the calibration of the cameras. The recorded poses are projected into the
    images; glam data adopt --kinematics computes poses from joints."""
    cameras: tuple[str, ...] = ()
    """Cameras to track in; all by default."""
    engine: EngineName = "local"
    """local: on this machine; ray: on a Ray cluster that is running already (extra [cluster]), whose machines see all
    folders under the same paths, that of the cache too (GLAM_CACHE)."""

    def run(self) -> int:
        """Make tracks and say what came of it."""
        with bar(f"tracks of {self.root}") as progress:
            if self.prompts is not None and self.camera is None:
                made = self._by_clicks(self.prompts, progress)
            elif self.camera is not None and self.prompts is None:
                made = self._by_poses(self.camera, progress)
            else:
                raise GlamError("give --prompts, a file of clicks, or --camera, a calibration; one of the two")
        for episode, where in made.missed:
            say(f"no fingertip found in episode {episode}, {where}; click on both there, and give another --out")
        if made.made:
            say(f"{made.made} images in {made.seconds:.0f} s, {1000 * made.seconds / made.made:.0f} ms each")
        for path in (made.overlay, made.root):
            say(str(path))
        return 0

    def _by_clicks(self, file: Path, progress: Progress) -> "Tracked":
        from glam.data.reader import Dataset
        from glam.interop.trackers.clicks import read_clicks
        from glam.stages.tracks import track_by_clicks

        dataset = Dataset.open(self.root)
        cameras = self.cameras or dataset.schema.cameras
        clicks, pool = read_clicks(file, dataset, cameras), pool_of(self.engine)
        return track_by_clicks(self.root, self.out, clicks, cameras, progress=progress, pool=pool)

    def _by_poses(self, file: Path, progress: Progress) -> "Tracked":
        from glam.core.files import read_json
        from glam.interop.trackers.calibration import read_calibration
        from glam.stages.tracks import track_by_poses

        cameras, pool = read_calibration(file, self.cameras), pool_of(self.engine)
        return track_by_poses(self.root, self.out, cameras, read_json(file), progress, pool)
