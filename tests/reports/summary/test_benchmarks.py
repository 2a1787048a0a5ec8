from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.core.files import write_json
from glam.reports.markup import joined
from glam.reports.summary.results import benchmark_parts, is_benchmark, read_benchmarks


def cell(method: str, seed: int, kind: str = "evaluation") -> dict[str, object]:
    return {"task": "lift", "method": method, "seed": seed, "detail": "", "kind": kind, "run": f"{method}-{seed}"}


def run(name: str, result: dict[str, object], kind: str = "evaluation") -> dict[str, object]:
    return {"kind": kind, "name": name, "result": result}


def written(folder: Path) -> Path:
    runs = [
        run("mip-0", {"successes": 150, "episodes": 200}),
        run("mip-1", {"successes": 170, "episodes": 200}),
        run("glam-o-0", {"summary": {"successes": 19.0, "episodes": 20.0}}, "replay"),
    ]
    cells = [cell("mip", 0), cell("mip", 1), cell("mip", 2), cell("clam", 0), cell("glam-o", 0, "replay")]
    write_json(folder / "main.json", {"benchmark": "main", "cells": cells, "runs": runs})
    write_json(folder / "other.json", [1, 2])
    return folder


def test_trainings_of_a_cell_are_counted_together(tmp_path: Path) -> None:
    (table,) = read_benchmarks(written(tmp_path))
    assert table.name == "main"
    assert table.rows == (
        ("lift", "mip", "", "trials", "2 of 3", "320 of 400", "80.0 %", "75.8 to 83.6 %"),
        ("lift", "clam", "", "trials", "0 of 1", "not run", "-", "-"),
        ("lift", "glam-o", "", "replays", "1 of 1", "19 of 20", "95.0 %", "76.4 to 99.1 %"),
    )
    assert "320 of 400" in joined(benchmark_parts(table))


def test_records_are_recognised_beside_other_files(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    assert not is_benchmark(tmp_path)
    assert is_benchmark(written(tmp_path))


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    write_json(tmp_path / "main.json", {"benchmark": "main", "cells": [{}], "runs": []})
    with pytest.raises(GlamError, match=r"main\.json: not a record of glam bench"):
        list(read_benchmarks(tmp_path))
