"""`glam demo` with several seeds: time of each stage, and success of the three policies.

    python benchmarks/demo.py [--seeds 3] [--root demo-seeds] [--json docs/results/demo.json]

Each seed has its own demonstrations and trainings; the trials use the same unseen scenes. Finished runs below the root
are not repeated. Run it on a quiet machine: the times are of two runs at a time.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from glam.bench.demo import DemoConfig, comparisons, demo
from glam.bench.run import RunStore, ordered
from glam.bench.running import GridState
from glam.core.files import read_json, write_json


def main() -> None:
    options = parse()
    runs = [one(DemoConfig(seed=seed), options.root / f"seed-{seed}") for seed in range(options.seeds)]
    write_json(options.json, {"runs": runs})
    print(options.json)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--root", type=Path, default=Path("demo-seeds"))
    parser.add_argument("--json", type=Path, default=Path("docs/results/demo.json"))
    return parser.parse_args()


def one(config: DemoConfig, root: Path) -> dict[str, Any]:
    """Run one seed, unless its record is there."""
    record = root / "record.json"
    if not record.exists():
        begin = time.monotonic()
        demo(config, root, 2, no_report)
        write_json(record, {"seconds": round(time.monotonic() - begin, 1)})
    store = RunStore(root)
    verdicts = [found.sentence for found in comparisons(config, root)]
    print(f"seed {config.seed}: {'; '.join(verdicts)}", flush=True)
    return {
        "seed": config.seed,
        "seconds_in_all": read_json(record)["seconds"],
        "verdicts": verdicts,
        "stages": [store.read(run) for run in ordered(config.runs)],
    }


def no_report(state: GridState) -> None:
    """Ignore the progress."""
    del state


if __name__ == "__main__":
    main()
