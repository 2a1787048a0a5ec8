"""Write docs/results/tasks.json: the room that each task leaves, measured by `glam bench tasks`.

    python tools/tasks_record.py [--bench runs/bench] [--records docs/results]

Takes finished runs from the run store, adds the table with its verdicts, and prints it. The list
`trail` of the record is written by hand and kept: what was tried, one object of texts for each attempt.
"""

import argparse
from pathlib import Path

from glam.bench.grids import find_grid
from glam.bench.records import write_record
from glam.bench.run import RunStore
from results.tasks import GRID, write_table


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    path = write_record(GRID, find_grid(GRID), RunStore(options.bench), options.records)
    for entry in write_table(options.records):
        low, high = entry["band"]
        rate = f"{entry['percent']:5.1f} % of {entry['episodes']}" if "percent" in entry else "-"
        wanted = f"wanted {low:g} to {high:g} %"
        print(f"{entry['task']:12} {entry['labelled']:4} labelled  {rate:16}  {wanted:22}  {entry['verdict']}")
    print(path)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=Path("runs/bench"))
    parser.add_argument("--records", type=Path, default=Path("docs/results"))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
