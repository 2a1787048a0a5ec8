"""What robomimic files say about their environment: rates, and whether actions are deltas."""

from pathlib import Path

import pytest
from tests.interop.imports import foreign

from glam.core.errors import GlamError
from glam.interop.imports import robomimic
from glam.interop.imports.conversion import plan
from glam.interop.imports.recordings import Hints
from glam.interop.imports.robomimic_env import env_of, is_absolute, rate_of


@pytest.mark.parametrize(
    ("controller", "is_delta"),
    [
        ({"control_delta": True}, True),
        ({"control_delta": False}, False),
        ({"body_parts": {"right": {"input_type": "absolute"}}}, False),
        ({"body_parts": [{"input_type": "delta"}, {"input_type": "absolute"}]}, True),
        ({}, True),
    ],
)
def test_actions_are_delta_actions_unless_the_controller_says_otherwise(reader, tmp_path, controller, is_delta):
    file = foreign.robomimic(tmp_path / "demo.hdf5", env=foreign.env_args(controller_configs=controller))
    found = robomimic.read(reader, file, Hints())
    assert found.is_bound_to_rate is is_delta
    assert found.delta_actions == (tuple(range(6)) if is_delta else ())  # the gripper is told where to be
    if is_delta:
        with pytest.raises(GlamError, match=r"deltas at 20 Hz.*leave --rate 10 out"):
            plan(found, 10, None)
    else:
        assert plan(found, 10, None).schema.fps == 10
    assert plan(found, 20, None).schema.fps == 20


@pytest.mark.parametrize("text", ["[1]", "no JSON", '{"env_kwargs": 3}'])
def test_what_describes_no_environment_is_refused(text):
    with pytest.raises(GlamError, match=r"lift\.hdf5: .*not a description of an environment"):
        env_of(Path("lift.hdf5"), text)


def test_a_file_without_a_description_declares_nothing():
    assert env_of(Path("lift.hdf5"), None) == {}
    assert not is_absolute({})


@pytest.mark.parametrize(
    ("rate", "message"), [(-1, "control_freq is -1"), ("x", "--source-rate"), (True, "--source-rate")]
)
def test_a_rate_that_is_none_is_refused(rate, message):
    with pytest.raises(GlamError, match=message):
        rate_of(Path("lift.hdf5"), {"env_kwargs": {"control_freq": rate}}, Hints())
