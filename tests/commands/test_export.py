from pathlib import Path

from tests.data import tiny
from tests.typed import Glam, Said

from glam.recipes import policy
from glam.stages.train_policy import Inputs, train_policy


def test_export_prints_the_folder_and_says_in_one_sentence_what_it_refuses(glam: Glam, tmp_path: Path) -> None:
    tiny.record(tmp_path / "data", 3)
    run, out = train_policy(policy("mip", "smoke"), Inputs(tmp_path / "data"), tmp_path / "run"), tmp_path / "out"

    def export(folder: Path) -> Said:
        return glam("export", "--policy", folder, "--out", out)

    said = export(tmp_path / "data")
    assert said.code == 2
    assert not out.exists()
    (line,) = said.error.strip().splitlines()
    assert line.startswith(f"glam: {tmp_path / 'data'}: not the folder of a training")
    said = export(run)
    assert (said.code, said.output) == (0, f"{out}\n")
    assert (out / "config.json").is_file()
    said = export(run)
    assert said.code == 2
    assert "is not an empty folder; choose a new one" in said.error
