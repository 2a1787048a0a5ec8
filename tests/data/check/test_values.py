from dataclasses import replace

import numpy as np
import pytest

from glam.core.geometry import rotation_from_vector, six_from_rotation
from glam.data import layout
from glam.data.schema import ACTION, EE_POSE, STATE


def with_vector(key, change, only=1):
    """Spoil a vector of one episode, or of all when `only` is negative."""

    def spoil(index, episode):
        if index != only and only >= 0:
            return episode
        values = change(episode.vectors[key].copy()).astype(np.float32)
        return replace(episode, vectors=episode.vectors | {key: values})

    return spoil


def at(frame, columns, value):
    def change(values):
        values[frame, columns] = value
        return values

    return change


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("key", [EE_POSE, STATE, ACTION])
def test_a_value_that_is_not_finite_is_found(patient, key, value):
    patient.edit_vector(1, key, at(4, 0, value))
    patient.seal()
    finding = patient.only("not-finite")
    assert (finding.file, finding.episode, finding.frame) == (layout.data_file(1), 1, 4)
    assert key in finding.problem


@pytest.mark.parametrize("key", [EE_POSE, STATE, ACTION])
def test_a_number_that_none_can_be_is_found(patient, key):
    patient.edit_vector(1, key, at(4, 0, -1e30))
    patient.seal()
    (finding,) = (one for one in patient.findings() if one.code == "absurd")
    assert (finding.file, finding.episode, finding.frame) == (layout.data_file(1), 1, 4)
    assert f"{key} holds a number that none can be (1e+30)" in finding.problem


def test_a_rotation_that_is_not_orthonormal_is_found(spoilt):
    finding = spoilt(with_vector(EE_POSE, at(5, slice(3, 6), [0.9, 0.1, 0.0]))).only("rotation")
    assert (finding.file, finding.episode, finding.frame) == (layout.data_file(1), 1, 5)


def test_a_rotation_stored_in_rows_instead_of_columns_shows_as_not_orthonormal(spoilt):
    rotation = rotation_from_vector(np.array([0.4, -0.8, 0.3]))
    patient = spoilt(with_vector(EE_POSE, at(slice(None), slice(3, 9), rotation[:, :2].reshape(-1)), only=-1))
    assert {finding.code for finding in patient.findings()} == {"rotation"}


def test_millimetres_are_told_as_such_and_not_as_jumps(spoilt):
    def in_millimetres(pose):
        pose[:, :3] *= 1000
        return pose

    findings = spoilt(with_vector(EE_POSE, in_millimetres, only=-1)).findings()
    assert [finding.code for finding in findings] == ["units-length"] * 3
    assert "millimetres" in findings[0].problem


def test_absurd_values_are_findings_and_not_warnings_of_numpy(spoilt):
    codes = spoilt(with_vector(EE_POSE, at(5, slice(None), 3e38))).codes()
    assert {"rotation", "gripper-range", "teleport"} <= codes


def test_a_hand_that_teleports_is_found(spoilt):
    finding = spoilt(with_vector(EE_POSE, at(slice(9, None), 0, 1.2))).only("teleport")
    assert (finding.episode, finding.frame) == (1, 9)


def test_a_hand_that_turns_over_between_two_frames_is_found(spoilt):
    upside_down = six_from_rotation(rotation_from_vector(np.array([np.pi, 0.0, 0.0])))
    finding = spoilt(with_vector(EE_POSE, at(slice(7, None), slice(3, 9), upside_down))).only("teleport")
    assert (finding.episode, finding.frame) == (1, 7)
    assert "turns over" in finding.problem


@pytest.mark.parametrize("opening", [-0.5, 1.5, 85.0])
def test_a_gripper_outside_its_range_is_found(spoilt, opening):
    finding = spoilt(with_vector(EE_POSE, at(3, 9, opening))).only("gripper-range")
    assert (finding.episode, finding.frame) == (1, 3)


@pytest.mark.parametrize("key", [STATE, ACTION])
def test_degrees_are_told_as_such(spoilt, key):
    findings = spoilt(with_vector(key, np.rad2deg, only=-1)).findings()
    assert {finding.code for finding in findings} == {"units-angle"}
    assert findings[0].severity == "warning"


def test_a_wrapped_joint_is_found(spoilt):
    finding = spoilt(with_vector(STATE, at(slice(6, None), 2, 4.5))).only("joint-jump")
    assert (finding.episode, finding.frame) == (1, 6)


def test_the_second_arm_is_checked_too(patient_of):
    patient = patient_of("bimanual")
    patient.edit_vector(0, EE_POSE, at(2, slice(13, 16), [2.0, 0.0, 0.0]))
    patient.seal()
    assert "right" in next(finding for finding in patient.findings() if finding.code == "rotation").problem
