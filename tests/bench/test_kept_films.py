from dataclasses import replace

from glam.bench.cell import Cell
from glam.bench.grids import find_grid
from glam.bench.kept_films import keep_films
from glam.core.files import write_bytes, write_json


def made(cell: Cell, workshop, *films: str) -> Cell:
    """As if this cell had been run."""
    write_json(workshop.note(cell.node), {})
    folder = workshop.place(cell.node) / "films"
    folder.mkdir(parents=True)
    for name in films:
        (folder / name).write_bytes(name.encode())
    return cell


def test_one_success_and_one_failure_of_the_method_are_kept_for_each_task(workshop, tmp_path):
    grid = find_grid("main")
    lift, mip, later = (
        next(cell for cell in grid if (cell.task, cell.method, cell.seed) == wanted)
        for wanted in (("lift", "glam-o", 0), ("lift", "mip", 0), ("lift", "glam-o", 1))
    )
    for cell in (lift, mip, later):
        made(cell, workshop, "7-success.mp4", "8-success.mp4", "9-failed-place.mp4")
    (tmp_path / "films" / "main" / "of-another-recipe").mkdir(parents=True)
    (tmp_path / "films" / "transfer" / "of-another-grid").mkdir(parents=True)
    keep_films("main", grid, workshop, tmp_path)
    kept = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.mp4") if "shop" not in path.parts)
    assert kept == [f"films/main/{lift.node.name}/{name}.mp4" for name in ("7-success", "9-failed-place")]
    assert not (tmp_path / "films" / "main" / "of-another-recipe").exists()
    assert (tmp_path / "films" / "transfer" / "of-another-grid").exists()


def test_one_replay_of_each_source_is_kept(workshop, tmp_path):
    cell, later = (next(cell for cell in find_grid("transfer") if cell.seed == seed) for seed in (0, 1))
    for each in (cell, later):
        write_json(workshop.note(each.node), {})
        for name in ("episode-000003.mp4", "episode-000001.mp4", "replay.json"):
            write_bytes(workshop.place(each.node) / name, name.encode())
    keep_films("transfer", [cell, later], workshop, tmp_path / "records")
    (kept,) = (tmp_path / "records").rglob("*.*")
    assert kept == tmp_path / "records" / "films" / "transfer" / cell.node.name / "episode-000001.mp4"


def test_other_grids_keep_none(workshop, tmp_path):
    cell = replace(find_grid("policies")[1], method="glam-o", seed=0)
    made(cell, workshop, "7-success.mp4")
    keep_films("policies", [cell], workshop, tmp_path / "records")
    assert not (tmp_path / "records").exists()
