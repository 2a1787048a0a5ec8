"""Limits that would not limit are refused before anything moves."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.packages.glam_client.filtering import JOINT, ONE, at, run

from glam_client.configs import from_json, to_json
from glam_client.errors import GlamError
from glam_client.safety import AxisLimits, Limits, SafetyFilter, read_limits


@pytest.mark.parametrize("start", [at(2.1), at(np.nan), at(0.0, 0.0), np.zeros(1, int), [0.0], None])
def test_a_start_beyond_the_limits_or_of_the_wrong_kind_is_refused(start: Any) -> None:
    with pytest.raises(GlamError, match="within the limits"):
        SafetyFilter(ONE, start)


@pytest.mark.parametrize("field", ["low", "high", "speed", "acceleration"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, "1", None, True, [1.0], 1e300])
def test_a_limit_that_is_no_sensible_number_is_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(GlamError, match=f"axis 'joint': {field} must be a number"):
        replace(JOINT, **{field: value})


@pytest.mark.parametrize(
    "make",
    [
        lambda: replace(JOINT, speed=0.0),
        lambda: replace(JOINT, speed=-1.0),
        lambda: replace(JOINT, acceleration=0),
        lambda: replace(JOINT, acceleration=5e-324),
        lambda: replace(JOINT, low=2.0),
        lambda: replace(JOINT, high=-2.0),
        lambda: replace(ONE, axes=()),
        lambda: replace(ONE, axes=(JOINT, JOINT)),
        lambda: replace(ONE, period=0.0),
        lambda: replace(ONE, period=np.nan),
        lambda: replace(ONE, period=1e-6, axes=(replace(JOINT, acceleration=0.01),)),
        lambda: replace(ONE, period=1e-9, axes=(replace(JOINT, speed=1e-5, acceleration=1e9),)),
        lambda: replace(ONE, timeout=-0.1),
        lambda: replace(ONE, timeout="0.3"),
        lambda: from_json(Limits, to_json(ONE) | {"axes": [{"name": "joint", "low": -1.0, "high": 1.0, "speed": 1.0}]}),
    ],
)
def test_limits_that_would_not_limit_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(GlamError, match=r"must be|each axis once|too small|is missing"):
        make()


def test_whole_numbers_are_limits_too_and_limits_survive_json() -> None:
    limits = Limits((AxisLimits("joint", -1, 1, 1, 1),), 1, 1)
    assert from_json(Limits, to_json(limits)) == limits
    commands = run(SafetyFilter(limits, np.zeros(1)), [at(5.0)] * 5)
    assert commands[-1] == 1.0
    assert commands.dtype == np.float64


def test_limits_are_read_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "limits.json").write_text(json.dumps(to_json(ONE)))
    assert read_limits(tmp_path / "limits.json") == ONE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not valid JSON"),
        ('{"axes": []}', "field 'period' is missing"),
        ('{"axes": [], "period": 0.1, "timeout": 1.0}', "at least one axis"),
    ],
)
def test_a_file_that_holds_no_limits_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "limits.json").write_text(text)
    with pytest.raises(GlamError, match=rf"limits\.json: .*{sentence}"):
        read_limits(tmp_path / "limits.json")
    with pytest.raises(GlamError, match=r"nowhere\.json: cannot be read"):
        read_limits(tmp_path / "nowhere.json")
