import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.typed import Glam

from glam.core import seals
from glam.core.errors import GlamError
from glam.core.files import sha256
from glam.recipes import world_model
from glam.stages.inspect import inspect_world_model
from glam.stages.train_world_model import train_world_model


@pytest.fixture
def run(trained, tmp_path: Path) -> Path:
    """A copy of the run, so that no page is left in that of other tests."""
    return shutil.copytree(trained.run, tmp_path / "run")


def test_a_run_alone_is_judged_and_drawn(run: Path) -> None:
    inspection = inspect_world_model(run)
    text = inspection.page.read_text()
    assert inspection.page == run / "inspect.html"
    assert any(verdict.finding.startswith("actions ") for verdict in inspection.verdicts)
    assert "Loss: alignment" in text
    assert "<img" not in text


def test_datasets_that_lie_beside_the_run_are_found(trained, run: Path) -> None:
    shutil.copytree(trained.auxiliary, run.parent / "umi")
    assert "<img" not in inspect_world_model(run).page.read_text()
    shutil.copytree(trained.target, run.parent / "kinova")
    assert inspect_world_model(run).page.read_text().count("<img") == 8


def test_with_its_datasets_a_run_shows_held_out_frames_and_latents_of_each(trained, run: Path) -> None:
    text = inspect_world_model(run, [trained.target, trained.auxiliary]).page.read_text()
    assert "<h3>kinova</h3>" in text
    assert "<h3>umi</h3>" in text
    assert "By time in the episode" in text
    assert text.count("<img") == 8  # four of the one episode that each source holds out


def test_nothing_of_the_run_itself_changes(trained, run: Path) -> None:
    inspect_world_model(run, [trained.target, trained.auxiliary])
    for path in trained.run.glob("*.*"):
        assert sha256(run / path.name) == sha256(path)


@pytest.mark.parametrize("method", ["glam-o-pose-only", "glam-o-no-pose", "glam", "clam-o", "lapa-o"])
def test_every_method_can_be_inspected(trained, method: str, tmp_path: Path) -> None:
    smoke = world_model(method, "smoke")
    short = replace(smoke, fit=replace(smoke.fit, steps=2))
    train_world_model(short, trained.target, [trained.auxiliary], tmp_path / "run")
    inspection = inspect_world_model(tmp_path / "run", [trained.target, trained.auxiliary])
    findings = " ".join(verdict.finding for verdict in inspection.verdicts)
    assert ("the image is" in findings) == (method != "glam-o-pose-only")
    assert ("next pose" in findings) == (method != "glam-o-no-pose")
    assert ("masks" in findings) == (method not in {"glam", "glam-o-pose-only"})
    assert ("of its 8 codes" in findings) == (method == "lapa-o")
    assert ("<img" in inspection.page.read_text()) == (method != "glam-o-pose-only")


def test_other_datasets_than_those_of_the_training_are_refused(trained, run: Path) -> None:
    with pytest.raises(GlamError, match="umi: an auxiliary set"):
        inspect_world_model(run, [trained.auxiliary, trained.target])
    with pytest.raises(
        GlamError, match=r"kinova: not the dataset that .* as --aux number 1; give those of the training"
    ):
        inspect_world_model(run, [trained.target, trained.target])
    with pytest.raises(GlamError, match="trained on 2 datasets, but 3 are given"):
        inspect_world_model(run, [trained.target, trained.auxiliary, trained.auxiliary])
    with pytest.raises(GlamError, match="--aux"):
        inspect_world_model(run, [trained.target])
    assert not (run / "inspect.html").exists()


def test_an_unfinished_run_is_refused(run: Path) -> None:
    (run / "manifest.json").unlink()
    with pytest.raises(GlamError, match="training has not finished"):
        inspect_world_model(run)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="not the folder of a training"):
        inspect_world_model(tmp_path)


def test_a_log_without_probes_is_refused(run: Path) -> None:
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    kept = [json.dumps(line) + "\n" for line in lines if line["split"] == "train"]
    seals.write(run, {"metrics.jsonl": "".join(kept).encode()}, also=seals.digests(run).keys() - {"metrics.jsonl"})
    with pytest.raises(GlamError, match=r"metrics\.jsonl: has no line of probes"):
        inspect_world_model(run)


def test_the_command_prints_verdicts_with_remedies_and_the_page(trained, run: Path, glam: Glam) -> None:
    said = glam("inspect", run, "--target", trained.target, "--aux", trained.auxiliary)
    assert said.code == 0
    lines = said.output.splitlines()
    assert lines[-1] == str(run / "inspect.html")
    assert lines[0].startswith("problem  ")
    assert lines[1].startswith("         try: ")
    assert all(line.startswith(("problem  ", "warning  ", "ok       ", "         try: ")) for line in lines[:-1])


def test_the_command_needs_both_kinds_of_dataset_or_none(trained, run: Path, glam: Glam) -> None:
    said = glam("inspect", run, "--aux", trained.auxiliary)
    assert said.code == 2
    assert "--target" in said.error
    said = glam("inspect", run, "--target", trained.target)
    assert said.code == 2
    assert "--aux" in said.error
