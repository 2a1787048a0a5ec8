from dataclasses import replace

import numpy as np
import pytest

from glam.data import layout
from glam.data.schema import ACTION, EE_POSE, STATE


def test_a_gripper_that_never_moves_in_the_whole_set_is_told(spoilt):
    def held(index, episode):
        pose = episode.vectors[EE_POSE].copy()
        pose[:, 9] = 0.5
        return replace(episode, vectors=episode.vectors | {EE_POSE: pose})

    finding = spoilt(held).only("gripper-constant")
    assert (finding.file, finding.severity) == ("data", "warning")
    assert "0.5 in every frame" in finding.problem


def test_a_gripper_that_rests_in_one_episode_is_no_fault(spoilt):
    def held(index, episode):
        pose = episode.vectors[EE_POSE].copy()
        pose[:, 9] = 0.5 if index == 1 else pose[:, 9]
        return replace(episode, vectors=episode.vectors | {EE_POSE: pose})

    assert spoilt(held).findings() == ()


def test_a_repeated_episode_is_told(spoilt):
    first = []

    def repeated(index, episode):
        first.append(episode)
        return first[0] if index == 2 else episode

    finding = spoilt(repeated).only("duplicate")
    assert (finding.file, finding.episode) == (layout.data_file(2), 2)
    assert "episode 0" in finding.problem


def test_actions_that_repeat_the_state_are_told(spoilt):
    def copied(index, episode):
        return replace(episode, vectors=episode.vectors | {ACTION: episode.vectors[STATE]})

    assert spoilt(copied).only("action-shift").severity == "warning"


@pytest.mark.parametrize("name", ["min", "max", "mean", "std"])
def test_statistics_that_disagree_with_the_data_are_found(patient, name):
    def shifted(stats):
        stats[EE_POSE][name][2] += 0.5

    patient.edit_json(layout.STATS, shifted)
    patient.seal()
    finding = patient.only("stats")
    assert finding.file == layout.STATS
    assert finding.problem == f"{name} of {EE_POSE} is not that of the data"


@pytest.mark.parametrize("value", [None, "text", [1.0], [[1.0]], {"a": 1}])
def test_statistics_of_another_shape_are_found(patient, value):
    patient.edit_json(layout.STATS, lambda stats: stats[EE_POSE].update(mean=value))
    patient.seal()
    assert patient.only("stats").file == layout.STATS


def test_a_feature_without_statistics_is_found(patient):
    patient.edit_json(layout.STATS, lambda stats: stats.pop(ACTION))
    patient.seal()
    assert ACTION in patient.only("stats").problem


def test_a_whole_scene_of_changes_is_noticed_in_the_statistics(patient):
    patient.edit_vector(0, EE_POSE, lambda pose: pose + np.array([0.2] + [0.0] * 9, np.float32))
    patient.seal()
    assert "stats" in patient.codes()
