"""Put the measured tables into docs/worlds.md, between its `<!-- table NAME -->` marks.

    python benchmarks/worlds_page.py

Every number in these tables comes from docs/results/worlds.json; a test compares the two.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glam.core.files import read_json, write_bytes
from glam.core.simulated import EMBODIMENTS

ROOT = Path(__file__).parents[1]
PAGE, RECORD = ROOT / "docs/worlds.md", ROOT / "docs/results/worlds.json"
MARKED = re.compile(r"(<!-- table (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    write_bytes(PAGE, filled(PAGE.read_text(encoding="utf-8"), read_json(RECORD)).encode())
    print(PAGE)


def filled(page: str, record: dict[str, Any]) -> str:
    """The page with every marked table made anew."""
    results = {name: section["result"] | {"conditions": section["conditions"]} for name, section in record.items()}
    return MARKED.sub(lambda mark: f"{mark[1]}\n{TABLES[mark[2]](results)}\n\n{mark[3]}", page)


def demonstrations(results: dict[str, Any]) -> str:
    pairs = results["demonstrations"]["pairs"]
    rows = []
    for task, limit in results["demonstrations"]["max_episode_steps"].items():
        for body in (body for body in EMBODIMENTS if f"{task} {body}" in pairs):
            pair = pairs[f"{task} {body}"]
            speed = pair.get("joint_speed_as_share_of_limit", {}).get("measured_largest", "-")
            lag = pair["servo_lag_mm"]
            steps = pair["steps"]
            row = [task, body, f"{pair['successes']} / 100", steps["mean"], steps["longest"], limit]
            rows.append([*row, f"{lag['mean']} / {lag['largest']}", speed])
    head = ["task", "embodiment", "successes", "mean steps", "longest", "step limit", "servo lag, mm (mean / largest)"]
    return table([*head, "largest joint speed / limit"], rows)


def controls(results: dict[str, Any]) -> str:
    attempts = results["negative_controls"]["attempts_each"]
    rows = []
    for control, counts in results["negative_controls"]["successes"].items():
        for pair, successes in counts.items():
            rows.append([control.replace("_", " "), *pair.split(), f"{successes} / {attempts}"])
    for push, counts in results["negative_controls"]["pushes"].items():
        for pair, count in counts.items():
            rows.append([push.replace("_", " "), *pair.split(), f"{count['tipped']} / {count['attempts']}"])
    return table(["control", "task", "embodiment", "successes"], rows)


def visibility(results: dict[str, Any]) -> str:
    rows = []
    for pair, objects in results["visibility"]["pairs"].items():
        for name, seen in objects.items():
            medians = seen["median"]
            share = f"{100 * seen['share_of_frames_with_enough']:.1f} %"
            rows.append([*pair.split(), name, share, seen["fewest_in_the_better_view"]])
            rows[-1] += [round(medians["front"]), round(medians["overhead"])]
    head = ["task", "embodiment", "object", "frames with 60 px or more in a view", "fewest in the better view"]
    return table([*head, "median, front", "median, overhead"], rows)


def speed(results: dict[str, Any]) -> str:
    rows = [
        [*pair.split(), figures["ms_per_step"], round(figures["episodes_per_minute"])]
        for pair, figures in results["throughput"]["one_process"].items()
    ]
    return table(["task", "embodiment", "ms per step", "episodes per minute, one process"], rows)


def collections(results: dict[str, Any]) -> str:
    rows = [
        [body, run["episodes"], run["seconds"], run["cpu_seconds"], run["episodes_per_minute"]]
        for body, run in results["throughput"]["stack_two"].items()
    ]
    return table(["stack-two by", "episodes", "seconds", "processor seconds", "episodes per minute"], rows)


def durability(results: dict[str, Any]) -> str:
    same, killed, drawn = results["determinism"], results["kills"], results["throughput"]["against_mujoco_renderer"]
    rows = [
        ["files that differ between 1 and 2 workers", "none" if same["identical"] else "some"],
        ["`kill -9` of a collection at work", killed["kills"]],
        ["of these, in the middle of writing an episode", killed["kills_that_left_unfinished_files"]],
        [
            "acknowledged episodes lost or damaged, each looked at after every kill",
            f"{killed['lost_or_damaged']} of {killed['acknowledged_episodes_checked']}",
        ],
        ["incomplete sets visible to a reader", killed["partial_visible"]],
        ["worker processes alive after 2 s", killed["orphans"]],
        [
            "resumed collections equal to an uninterrupted one",
            f"{killed['equal_to_uninterrupted']} of {killed['collections']}",
        ],
        ["episodes per minute against `mujoco.Renderer` as shipped, same loop, same run", f"{drawn['ratio']} x"],
        ["the same against `mujoco.Renderer` without shadows", f"{drawn['ratio_without_shadows']} x"],
    ]
    return table(["", "measured"], rows)


def inverse_kinematics(results: dict[str, Any]) -> str:
    found = results["inverse_kinematics"]
    rows = []
    for name, figures in found["solvers"].items():
        successes = f"{figures['successes']} / {figures['poses']}"
        errors = [figures["worst_mm"], figures["worst_degrees"], figures["drift_rad"]]
        rows.append([name.replace("ours", "glam"), figures["median_ms"], successes, *errors])
    head = ["targets, solver", "median ms", "solved", "worst error, mm", "worst error, degrees", "drift, rad"]
    ratios = [f"{kind} {ratio} x" for kind, ratio in found["mink_over_ours"].items()]
    before, after = found["conditions"]["load_average_before_and_after"]
    load = f"The machine had a load of {before} to {after} on {found['conditions']['cores']} cores."
    return table(head, rows) + f"\n\nTime of mink {found['mink']} divided by ours: {', '.join(ratios)}. {load}"


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "demonstrations": demonstrations,
    "controls": controls,
    "visibility": visibility,
    "collections": collections,
    "speed": speed,
    "durability": durability,
    "inverse_kinematics": inverse_kinematics,
}


def table(head: list[str], rows: list[list[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    main()
