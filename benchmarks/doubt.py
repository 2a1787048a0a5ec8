"""Does doubt foresee failures? Areas under the curve of finished evaluations.

    python -m benchmarks.doubt EVALUATION... [--json docs/results/doubt.json]

EVALUATION is a folder that `glam evaluate` made of a policy that knows its doubt.
"""

import argparse
from pathlib import Path

from benchmarks.conditions import conditions

from glam.core.configs import to_json
from glam.core.files import write_json
from glam.evaluation.evaluations import read_evaluation
from glam.evaluation.foresight import foresight


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evaluations", type=Path, nargs="+")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for root in options.evaluations:
        found = read_evaluation(root)
        first, result = found.records[0], foresight(found.records)
        print(f"{root}: {result.sentence if result else 'no doubt recorded, or all episodes end alike'}")
        if result is not None:
            facts = {"task": first.task, "method": first.method, "seed": first.training_seed}
            rows.append(facts | {"policy": found.lineage.digest} | to_json(result))
    if options.json:
        write_json(options.json, {"evaluations": rows} | conditions("numpy", "torch"))


if __name__ == "__main__":
    main()
