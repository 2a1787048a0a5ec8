"""`glam data masks`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from glam.commands.console import bar, say
from glam.commands.engines import EngineName, pool_of
from glam.core.errors import GlamError

if TYPE_CHECKING:  # models take seconds to import, and --help does without
    from glam.data.reader import Dataset
    from glam.interop.segmenters.onnx_sam import OnnxSam
    from glam.interop.segmenters.prompts import Prompts
    from glam.interop.segmenters.segmenter import MaskMaker


@dataclass(frozen=True)
class Masks:
    """Make object masks: SAM 2 from a click or a colour, or SAM 3 from words. Writes a copy of the dataset.

    Masks are propagated over the clicked episode; in all others objects are found by their colours. The same
    command resumes an interrupted run.
    """

    root: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="DIR")]
    """Folder of a LeRobot v3.0 dataset; it is not changed."""
    out: Path | None = None
    """Folder of the copy with masks."""
    object: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """red=front@0:31,64 for a click in frame 0 of episode 0, red=front@7/0:31,64 in episode 7, four numbers for a box,
    red=#c02020 for a colour; with --sam3 red='red cube'. May be given several times, also for one object."""
    prompts: Path | None = None
    """JSON file with clicks, such as --propose writes."""
    propose: Path | None = None
    """Only propose clicks for all episodes: write them into this JSON file, and an image to check them."""
    weights: Path | None = None
    """SAM 2: folder or archive with its two ONNX files; by default the folder weights in the cache of glam."""
    per_side: int = 0
    """SAM 2: images per row and column that are encoded together; 0 for as many as cost little detail."""
    sam3: str = ""
    """SAM 3: its folder, or its name on the Hugging Face Hub, such as facebook/sam3."""
    film: bool = False
    """Also make a video of some episodes with outlined masks."""
    threads: int = 2
    """CPU threads for SAM 2."""
    device: str = "cpu"
    """cpu or cuda, for SAM 3."""
    engine: EngineName = "local"
    """local: on this machine; ray: on a Ray cluster that is running already (extra [cluster]), whose machines see all
    folders under the same paths, that of the cache too (GLAM_CACHE)."""

    def run(self) -> int:
        """Make masks, or propose clicks, and print the result."""
        from glam.data.reader import Dataset

        dataset = Dataset.open(self.root)
        if self.propose is not None:
            return self._propose(dataset, self.propose)
        if self.out is None:
            raise GlamError("--out: name the folder of the copy with masks, or with --propose a file for clicks")
        return self._make(dataset, self.out)

    def _make(self, dataset: "Dataset", out: Path) -> int:
        from glam.stages.masks import make_masks

        pool = pool_of(self.engine)
        maker = self._by_text() if self.sam3 else self._by_clicks(dataset)
        with bar(f"masks of {self.root}") as progress:
            made = make_masks(self.root, out, maker, with_film=self.film, progress=progress, pool=pool)
        remedy = "use other words for it" if self.sam3 else "click on it"
        for episode, camera, name in made.hidden:
            say(f"{name} is in no frame of episode {episode}, camera {camera}; if it is visible there, {remedy}.")
        if made.made:
            say(f"{made.made} images in {made.seconds:.0f} s, {made.seconds / made.made:.2f} s each")
        for path in (*made.images, made.root):
            say(str(path))
        return 0

    def _propose(self, dataset: "Dataset", file: Path) -> int:
        from glam.interop.segmenters.prompts import require_fitting
        from glam.interop.segmenters.proposals import ObjectAppearances, learn_appearances
        from glam.stages.masks import propose, require_json, sheet_beside

        require_json(file)

        prompts = self._prompts()
        if prompts.objects:
            require_fitting(prompts, dataset)
        appearances = (
            learn_appearances(self._sam(), dataset, prompts)
            if prompts.prompts
            else ObjectAppearances({}, prompts.colours)
        )
        with bar("looking for objects") as progress:
            found = propose(dataset, prompts, appearances, file, progress)
        doubtful = sum(bool(prompt.doubt) for prompt in found.prompts)
        places = len(dataset.episodes) * len(dataset.schema.cameras) * len(found.objects)
        say(f"{len(found.prompts)} of {places} clicks, {doubtful} of them doubtful; check them, then use --prompts")
        for path in (sheet_beside(file), file):
            say(str(path))
        return 0

    def _by_clicks(self, dataset: "Dataset") -> "MaskMaker":
        from glam.interop.segmenters.by_clicks import ByClicks
        from glam.interop.segmenters.judging import JudgeConfig
        from glam.interop.segmenters.prompts import require_fitting

        prompts = self._prompts()
        require_fitting(prompts, dataset)
        return ByClicks(self._sam(), dataset, prompts, JudgeConfig())

    def _by_text(self) -> "MaskMaker":
        from glam.interop.segmenters.sam3 import open_sam3, parse_texts

        if self.prompts is not None:
            raise GlamError("--prompts: clicks are for SAM 2; with --sam3 give --object NAME=WORDS")
        return open_sam3(self.sam3, parse_texts(self.object), self.device)

    def _prompts(self) -> "Prompts":
        from glam.interop.segmenters.prompts import Prompts, joined, parse_objects, read_prompts

        given = parse_objects(self.object)
        return joined(read_prompts(self.prompts) if self.prompts else Prompts(()), given)

    def _sam(self) -> "OnnxSam":
        from glam.data.cache import default_folder
        from glam.interop.segmenters.onnx_sam import open_sam

        return open_sam(self.weights or default_folder() / "weights", self.threads, self.per_side)
