from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.policies import trained as policies
from glam.sim.embodiments import find_embodiment
from glam.sim.tasks import find_task
from glam.sim.world import World
from glam.stages import evaluate as stage
from glam.stages.evaluate import check_suited


@pytest.fixture(scope="module")
def world() -> World:
    return World(find_task("lift"), find_embodiment("kinova"))


def test_a_policy_may_act_where_it_was_trained(evaluated, world: World) -> None:
    for policy in evaluated.policies.values():
        check_suited(policy, world, n_action_steps=policies.load(policy).chunk)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"task": "stack-two"}, "run: was trained on stack-two, and --task is lift; give --task stack-two"),
        ({"cameras": ("overhead", "front")}, "was trained with cameras overhead, front, but lift by kinova has front,"),
        ({"state_names": ("left",) * 8}, "was trained with robot state left"),
        ({"action_names": tuple("abcdefgh")}, "was trained with actions a, b, c"),
        ({"fps": 30}, "was trained with rate 30 a second, but lift by kinova has 10 a second"),
    ],
)
def test_what_has_the_right_size_and_another_meaning_is_refused(
    evaluated, world: World, monkeypatch: pytest.MonkeyPatch, change: dict[str, object], sentence: str
) -> None:
    found = policies.load(evaluated.policies["mip"])
    other = replace(found, interface=replace(found.interface, **change))
    monkeypatch.setattr(policies, "load", lambda root: other)
    with pytest.raises(GlamError, match=sentence):
        check_suited(Path("run"), world, n_action_steps=1)


def test_a_policy_that_learnt_from_one_camera_sees_that_one(
    evaluated, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = policies.load(evaluated.policies["mip"])
    interface = replace(found.interface, cameras=("overhead",))
    monkeypatch.setattr(policies, "load", lambda root: replace(found, interface=interface))
    check_suited(Path("run"), world, n_action_steps=1)
    shown = []
    policy = SimpleNamespace(interface=interface, act_and_doubt=lambda images, poses, states: shown.append(images))
    views = np.arange(2)[None, :, None, None, None] * np.ones((1, 2, 4, 4, 3))
    stage._act(policy, world, ())(views, np.zeros((1, 10)), np.zeros((1, 8)), np.zeros((1, 12)))
    assert shown[0].shape == (1, 1, 4, 4, 3)
    assert (shown[0] == 1).all()
