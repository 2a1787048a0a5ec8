"""Write the pages of results, as HTML and for the documentation, from the records in docs/results.

    python tools/make_results.py [--publish runs/bench] [--records docs/results] [--out results.html] [--docs docs]

The goals are a page of their own, goals-of-results.html. `--publish` first copies the records of `glam bench` below
that folder to docs/results, with some films. Nothing else writes to docs/results: `make results BENCH=runs/bench`
publishes, `make results` only writes the pages, and docs/images/results.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from glam.evaluation.evaluations import FILMS
from results.page import Results, write_documents, write_pages
from results.publish import publish
from results.record import read_records


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    if options.publish is not None:
        for path in publish(options.publish, options.records):
            print(path)
    records = read_records(options.records)
    found = Results.of(records, dict(kept_films(options.records)))
    for path in (*write_documents(found, options.docs), *write_pages(found, options.out)):
        print(path)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publish", type=Path, default=None)
    parser.add_argument("--records", type=Path, default=Path("docs/results"))
    parser.add_argument("--out", type=Path, default=Path("results.html"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    return parser.parse_args(arguments)


def kept_films(records: Path) -> Iterator[tuple[str, list[Path]]]:
    """Films by the name of their run, which is that of their folder; each grid has a folder of those."""
    for folder in sorted((records / FILMS).glob("*/*")):
        yield folder.name, sorted(folder.glob("*.mp4"))


if __name__ == "__main__":
    main()
