from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from glam.data import layout, tables
from glam.data.check import check_dataset
from glam.data.latents import LatentLabels, LatentsProvenance, write_relabelled_copy
from glam.data.reader import Dataset

VALUES = np.linspace(0.0, 1.0, 45).astype(np.float32)


def add_feature(patient, key):
    """Hide a feature of two values in every corner of the set, as its owner would."""
    feature = {"dtype": "float32", "shape": [2], "names": ["a", "b"]}
    patient.edit_json(layout.INFO, lambda info: info["features"].update({key: feature}))
    rows = np.stack([VALUES, -VALUES], axis=1)
    patient.edit_json(layout.STATS, lambda stats: stats.update({key: tables.row_statistics(rows)}))
    for index in range(3):
        column = pa.array(rows[15 * index : 15 * index + 15].tolist(), pa.list_(pa.float32(), 2))
        patient.edit_table(layout.data_file(index), lambda table, column=column: table.append_column(key, column))
    patient.seal()


@pytest.mark.parametrize("key", ["action", "observation.state", "observation.environment_state", "extra"])
def test_what_betrays_actions_in_an_auxiliary_set_is_found_in_every_file(patient_of, key):
    patient = patient_of("auxiliary")
    add_feature(patient, key)
    findings = patient.findings()
    assert {finding.code for finding in findings} == {"role"}
    assert {finding.file for finding in findings} == {layout.INFO, layout.STATS, *map(layout.data_file, range(3))}


def test_labels_of_a_relabelled_copy_betray_nothing_while_other_features_still_do(patient_of, tmp_path):
    source = patient_of("auxiliary")
    dataset = Dataset.open(source.root)
    labels = LatentLabels(
        np.ones((len(dataset), 2), np.float32), LatentsProvenance(dataset.content_id, "model", "glam-o"), {}
    )
    write_relabelled_copy(dataset, labels, tmp_path / "labelled")
    assert check_dataset(tmp_path / "labelled") == ()
    patient = replace(source, root=tmp_path / "labelled")
    add_feature(patient, "extra")
    findings = patient.findings()
    assert {finding.code for finding in findings} == {"role"}
    assert all("'extra'" in finding.problem for finding in findings)


def test_a_hidden_column_in_one_data_file_is_found(patient_of):
    patient = patient_of("auxiliary")
    column = pa.array(np.zeros(15, np.float32))
    patient.edit_table(layout.data_file(1), lambda table: table.append_column("action", column))
    patient.seal()
    findings = patient.findings()
    assert {finding.code for finding in findings} == {"role", "column"}
    assert {finding.file for finding in findings} == {layout.data_file(1)}


def test_statistics_of_actions_in_the_table_of_episodes_are_found(patient_of):
    patient = patient_of("auxiliary")
    column = pa.array([[0.5]] * 3)
    patient.edit_table(layout.EPISODES, lambda table: table.append_column("stats/action/mean", column))
    patient.seal()
    assert patient.only("role").file == layout.EPISODES


def test_a_target_without_actions_is_found(patient_of):
    patient = patient_of("auxiliary")
    patient.seal(role="target")
    assert {finding.code for finding in patient.findings()} == {"role"}


def test_a_target_may_have_further_features(patient):
    add_feature(patient, "observation.environment_state")
    assert patient.findings() == ()


def test_arms_and_objects_that_do_not_fit_the_features_are_found(patient):
    patient.seal(arms=["left", "right"], objects=["cube"])
    problems = [finding.problem for finding in patient.findings() if finding.code == "feature"]
    assert len(problems) == 3
