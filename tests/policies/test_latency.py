from pathlib import Path

from tests.data import tiny

from glam.policies import trained
from glam.policies.trained import call_milliseconds
from glam.recipes import policy
from glam.stages.train_policy import Inputs, train_policy


def test_each_call_is_timed_with_one_observation_of_the_policys_own_sizes(tmp_path: Path) -> None:
    tiny.record(tmp_path / "data", 3)
    loaded = trained.load(train_policy(policy("mip", "smoke"), Inputs(tmp_path / "data"), tmp_path / "run"))
    durations = call_milliseconds(loaded, calls=4, pixels=24)
    assert len(durations) == 4
    assert min(durations) > 0.0
