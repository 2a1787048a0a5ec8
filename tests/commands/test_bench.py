import pytest

from glam.cli import outcome
from glam.commands.bench import Bench


def test_a_dry_run_tells_cells_and_hours_and_makes_nothing(tmp_path, capsys):
    assert outcome(Bench("world-models", root=tmp_path / "shop", records=tmp_path / "records", dry_run=True)) == 0
    told = capsys.readouterr().out.splitlines()
    assert any(line.startswith("to do") and "glam-o-stack-two-s0" in line for line in told)
    assert told[-1].startswith("0 of ")
    assert told[-1].endswith("hours left")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "named"), [(Bench("main-course"), "main-course"), (Bench("world-models", workers=0), "--workers 0")]
)
def test_what_cannot_be_run_is_refused_in_one_sentence(command, named, capsys):
    assert outcome(command) == 2
    assert named in capsys.readouterr().err
