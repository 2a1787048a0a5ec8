import sys
from pathlib import Path

import pytest
from tests.data import tiny

from glam.cli import main
from glam.recipes.policies import policy
from glam.stages.train_policy import Inputs, train_policy


def test_export_prints_the_folder_and_says_in_one_sentence_what_it_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tiny.record(tmp_path / "data", 3)
    run, out = train_policy(policy("mip", "smoke"), Inputs(tmp_path / "data"), tmp_path / "run"), tmp_path / "out"

    def export(folder: Path) -> int:
        monkeypatch.setattr(sys, "argv", ["glam", "export", "--policy", str(folder), "--out", str(out)])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0)

    assert export(tmp_path / "data") == 2
    assert not out.exists()
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"glam: {tmp_path / 'data'}: not the folder of a training")
    assert export(run) == 0
    assert capsys.readouterr().out == f"{out}\n"
    assert (out / "config.json").is_file()
    assert export(run) == 2
    assert "is not an empty folder; choose a new one" in capsys.readouterr().err
