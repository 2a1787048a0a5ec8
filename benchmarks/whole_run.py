"""How long it takes from datasets to an evaluated policy, stage by stage, with the commands a user would type.

    python benchmarks/whole_run.py --target DIR --aux DIR [--task stack-two] [--preset cpu] [--episodes 200] \
        [--json OUT]

Run it on a quiet machine. Images of the datasets are decoded once and kept beside them: the first stage that needs
them pays for it, unless an earlier run has. Everything is made in a folder that is deleted in the end.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from glam.core.files import read_json, write_json
from glam.recipes import WORLD_MODEL_PRESETS


def main() -> None:
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        seconds = {name: timed(name, command) for name, command in commands(options, root).items()}
        info = read_json(root / "evaluation" / "eval_info.json")["overall"]
    seconds["in all"] = sum(seconds.values())
    print(f"in all: {seconds['in all']:.0f} s; success {info['pc_success']:.1f} %", flush=True)
    if options.json:
        facts = {"task": options.task, "preset": options.preset, "episodes": options.episodes, "cores": os.cpu_count()}
        write_json(options.json, facts | {"pc_success": info["pc_success"], "seconds": seconds})


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--aux", type=Path, required=True)
    parser.add_argument("--task", default="stack-two")
    parser.add_argument("--preset", default="cpu", choices=list(WORLD_MODEL_PRESETS))
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def commands(options: argparse.Namespace, root: Path) -> dict[str, list[object]]:
    """Each stage, in order."""
    model, policy = root / "world-model", root / "policy"
    data = ["--target", options.target, "--aux", options.aux, "--preset", options.preset]
    return {
        "world model": ["train-world-model", "glam-o", *data, "--out", model],
        "labels": ["relabel", "--world-model", model, "--data", options.target, options.aux],
        "policy": ["train-policy", "latent", *data, "--world-model", model, "--out", policy],
        f"{options.episodes} trials": [
            "evaluate", "--policy", policy, "--task", options.task, "--episodes", options.episodes,
            "--out", root / "evaluation",
        ],
    }  # fmt: skip


def timed(name: str, command: list[object]) -> float:
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "glam", *map(str, command)], check=True, capture_output=True)
    seconds = time.monotonic() - begin
    print(f"{name}: {seconds:.0f} s", flush=True)
    return seconds


if __name__ == "__main__":
    main()
