"""Speed of everything, as ratios of one run of `make speed`, and what killed trainings lose."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from results.document import Block, Section, Table, Words
from results.record import Records

_COLUMNS = ("what", "found", "goal", "verdict", "ours", "the other")


@dataclass(frozen=True)
class Goal:
    """A bound of a measured value, in a unit."""

    bound: float
    unit: str = "times"
    is_most: bool = False
    """Whether less is better."""

    @property
    def words(self) -> str:
        """The bound in words."""
        return f"{self.shown(self.bound)} or {'less' if self.is_most else 'more'}"

    def shown(self, value: float) -> str:
        """A value with its unit."""
        if self.unit == "times":
            return f"{value:.3g} times as fast"
        return f"{100 * value:.0f} %" if self.unit == "share" else f"{value:.3g} {self.unit}"


GOALS = {
    "reading": Goal(100.0),
    "rendering": Goal(3.0),
    "recording": Goal(3.0),
    "stage 1 against the naive loop": Goal(2.0),
    "stage 1 of the convolution peak": Goal(0.6, "share"),
    "stage 1 against the naive loop, preset paper": Goal(2.0),
    "stage 1 of the convolution peak, preset paper": Goal(0.6, "share"),
    "stage 2 against the naive loop": Goal(2.0),
    "stage 2 of the convolution peak": Goal(0.6, "share"),
    "policy call": Goal(10.0, "ms", is_most=True),
    "cost against transitions, exponent": Goal(1.1, "(1: linear)", is_most=True),
    "demo": Goal(4.0, "minutes", is_most=True),
    "main cell": Goal(10.0, "minutes of one core", is_most=True),
}
"""By the names of the entries of docs/results/speed.json."""


def met(goal: Goal, value: float) -> bool:
    """Whether a value keeps its bound."""
    return value <= goal.bound if goal.is_most else value >= goal.bound


def speed(records: Records) -> Section:
    """The section; empty where nothing was measured."""
    stage_one, stage_two = records.grid("world-models").measured, records.grid("policies").measured
    return Section("Speed", (*_ratios(records.speed), *_kills(stage_one), *_kills(stage_two)))


def _ratios(measured: Mapping[str, Any]) -> Iterator[Block]:
    if not measured:
        yield Words("Not measured yet: make speed.")
        return
    low, high = measured["load_average"]
    machine = measured["conditions"]["machine"]
    yield Words(
        f"All of one run of `make speed` on {machine['cores']} cores, with a load of {low:g} before and {high:g} after "
        f"it. {'Low size, to see that it works.' if measured['is_quick'] else ''}".strip()
    )
    if measured["is_busy"]:
        yield Words("The machine was busy with other work: these numbers are a check of the program and no result.")
    yield Table(_COLUMNS, tuple(_row(entry) for entry in measured["ratios"]), "Ratios of one run", is_open=True)


def _row(entry: Mapping[str, Any]) -> tuple[str, ...]:
    goal = GOALS[entry["name"]]
    if entry["value"] is None:
        return (entry["name"], "not measured", goal.words, "-", "-", entry["why"])
    verdict = "met" if met(goal, entry["value"]) else "missed"
    return (entry["name"], goal.shown(entry["value"]), goal.words, verdict, entry["ours"], entry["other"])


def _kills(measured: Mapping[str, Any]) -> Iterator[Block]:
    if "kills" in measured:
        found = measured["kills"]
        yield Words(
            f"Training a {found['what'].replace('-', ' ')}, killed at {found['trials']} random steps and resumed: "
            f"{found['equal']} of {found['trials']} end in the same weights, bit for bit."
        )
