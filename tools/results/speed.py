"""Speed of training, of policies and of the whole pipeline, and what killed trainings lose."""

from collections.abc import Iterator, Mapping
from typing import Any

from results.document import Block, Section, Table, Words
from results.record import Records

_SPEED = {
    "images_per_second": ("images per second", ".0f"),
    "ms_per_step": ("ms a step", ".0f"),
    "share_of_convolution_peak": ("share of the convolution peak", ".0%"),
    "ratio_to_naive": ("x the naive loop", ".2f"),
}


def speed(records: Records) -> Section:
    """The section; empty where nothing was measured."""
    stage_one, stage_two = records.grid("world-models").measured, records.grid("policies").measured
    blocks = [*_training(stage_one), *_whole_run(stage_two), *_call(stage_two)]
    return Section("Speed", (*blocks, *_kills(stage_one), *_kills(stage_two)))


def _training(measured: Mapping[str, Any]) -> Iterator[Block]:
    if "speed" in measured:
        runs = measured["speed"]["runs"]
        columns = ("method", "preset", "threads", *(name for name, _ in _SPEED.values()))
        yield Table(columns, tuple(tuple(_row(run)) for run in runs), "World models, by benchmarks/world_model.py")


def _row(run: Mapping[str, Any]) -> Iterator[str]:
    yield from (run["method"], run["preset"], str(run["threads"]))
    yield from (f"{run[key]:{form}}" for key, (_, form) in _SPEED.items())


def _whole_run(measured: Mapping[str, Any]) -> Iterator[Block]:
    if "whole_run" in measured:
        found = measured["whole_run"]
        rows = tuple((stage, f"{seconds / 60:.1f}") for stage, seconds in found["seconds"].items() if stage != "in all")
        rows += (("in all", f"{found['seconds']['in all'] / 60:.1f}"),)
        caption = f"glam-o on {found['task']}, datasets to an evaluated policy ({found['pc_success']:.1f} %), two cores"
        yield Table(("stage", "minutes"), rows, caption)


def _call(measured: Mapping[str, Any]) -> Iterator[Block]:
    if "call" in measured:
        medians = [times["median"] for times in measured["call"]["policies"].values()]
        slowest = max(times["p99"] for times in measured["call"]["policies"].values())
        yield Words(
            f"A policy answers one observation on one core in {max(medians):.1f} ms (median of "
            f"{measured['call']['calls']} calls; 99 of 100 within {slowest:.1f} ms), by benchmarks/policy.py."
        )


def _kills(measured: Mapping[str, Any]) -> Iterator[Block]:
    if "kills" in measured:
        found = measured["kills"]
        yield Words(
            f"Training a {found['what'].replace('-', ' ')}, killed at {found['trials']} random steps and resumed: "
            f"{found['equal']} of {found['trials']} end in the same weights, bit for bit."
        )
