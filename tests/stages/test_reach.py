"""Poses that the target robot cannot take."""

from dataclasses import replace

import pytest
from tests.data import tiny

from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.recording import publish, recording, save_episode
from glam.data.schema import EE_POSE, Schema
from glam.stages.reach import reach_remarks


def test_episodes_that_the_robot_can_follow_have_no_remark_and_far_ones_do(trained, tmp_path) -> None:
    source = Dataset.open(trained.auxiliary)
    with recording(tmp_path / "far", source.schema, tiny.DESCRIPTION):
        for number in range(3):
            episode = source.episode(number)
            if number == 1:
                poses = episode.vectors[EE_POSE].copy()
                poses[:, 0] += 2.0
                episode = replace(episode, vectors={EE_POSE: poses})
            save_episode(tmp_path / "far", source.schema, number, episode, {})
        publish(tmp_path / "far", source.schema, tiny.DESCRIPTION, 3)
    ((episode, remark),) = reach_remarks(tmp_path / "far", trained.target, None)
    assert (episode, remark.verdict, remark.fault) == (1, "leave out", "reach")
    assert "the robot cannot take" in remark.words


def test_a_set_without_poses_is_refused(trained, tmp_path) -> None:
    schema = Schema(10, (16, 16), ("front",), (), ("arm",), has_pose=False)
    tiny.record(tmp_path / "set", 2, schema)
    with pytest.raises(GlamError, match="has no end-effector poses"):
        reach_remarks(tmp_path / "set", trained.target, None)
