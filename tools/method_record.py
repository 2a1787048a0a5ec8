"""Write docs/results/method.json: precision of latent actions, its ablations and policies, by `glam bench method`.

    python tools/method_record.py [--bench runs/bench] [--records docs/results]

Takes finished runs from the run store, adds the table, and prints it.
"""

import argparse
from pathlib import Path

from glam.bench.grids import find_grid
from glam.bench.records import write_record
from glam.bench.run import RunStore
from results.method import GRID, write_table


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    path = write_record(GRID, find_grid(GRID), RunStore(options.bench), options.records)
    for entry in write_table(options.records):
        print("  ".join(str(value) for value in entry.values()))
    print(path)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, default=Path("runs/bench"))
    parser.add_argument("--records", type=Path, default=Path("docs/results"))
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
