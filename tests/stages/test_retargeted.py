import logging
from dataclasses import replace

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.core.workers import no_progress
from glam.data.cache import decoded
from glam.data.demonstrations import Split
from glam.data.reader import Dataset
from glam.policies.sources import PolicySource
from glam.sim.retargeting import Retargeter
from glam.stages.retargeted import joint_path, joint_paths, within_reach


@pytest.fixture
def source(trained):
    frames = decoded(Dataset.open(trained.auxiliary), 16)
    return PolicySource("umi", frames, Split(frames.episodes, frames.episodes))


def test_the_paths_of_several_sets_are_those_of_each(source):
    robot = Retargeter("kinova", ("arm",))
    for path in joint_paths(robot, [source.frames, source.frames], no_progress):
        assert (path.reached == joint_path(robot, source.frames, no_progress).reached).all()


def test_episodes_out_of_reach_are_left_out_and_all_are_too_many(source, caplog):
    robot, count = Retargeter("kinova", ("arm",)), len(source.train)
    path = joint_path(robot, source.frames, no_progress)
    kept, reach = within_reach(source, robot, path)
    assert (len(kept.train), reach.left_out) == (count, 0)
    misses = path.misses.copy()
    misses[: source.train.ends[0], 0] = 0.1
    with caplog.at_level(logging.WARNING):
        kept, reach = within_reach(source, robot, replace(path, misses=misses))
    assert (len(kept.train), reach.left_out) == (count - 1, 1)
    assert "episodes are left out" in caplog.text
    with pytest.raises(GlamError, match="every episode has a pose out of reach of kinova"):
        within_reach(source, robot, replace(path, misses=np.ones_like(misses)))
