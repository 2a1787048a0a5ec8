import numpy as np
import pytest

from glam.bench.trajectories import UNIT, compact, follow, trajectories
from glam.core.errors import GlamError
from glam.data.reader import Dataset
from glam.data.schema import ACTION
from glam.policies import trained
from glam_client.action_chunking import DEFAULT_CHUNKING


def numbers(line):
    return np.array(line.split(), int) * UNIT


@pytest.fixture(scope="module")
def found(pipeline):
    return pipeline.records["trajectories"]["result"]


@pytest.fixture(scope="module")
def dataset(pipeline):
    return Dataset.open(pipeline.store.folder(pipeline.target))


def test_the_expert_is_recorded_joint_by_joint(found, dataset):
    actions = dataset.vectors(0)[ACTION]
    assert found["seed"] == 0
    assert list(found["expert"]["actions"]) == sorted(dataset.schema.action_names)
    for column, name in enumerate(dataset.schema.action_names):
        assert numbers(found["expert"]["actions"][name]) == pytest.approx(actions[:-1, column], abs=UNIT / 2)


def test_policies_follow_as_long_as_the_expert_and_act_on_their_own(found, dataset):
    steps = len(dataset.vectors(0)[ACTION]) - 1
    (policy,) = found["policies"].values()  # both are called glam-o, and the later one counts
    for name in dataset.schema.action_names:
        assert len(numbers(policy["followed"][name])) == steps
        assert len(numbers(policy["online"][name])) > 0
    assert policy["error_degrees"] > 0
    assert not policy["is_success"]


def test_what_is_followed_are_the_first_actions_of_each_chunk(pipeline, dataset):
    class Chunks:
        """Answers with the number of the row and of the action in the chunk."""

        interface = trained.load(pipeline.store.folder(pipeline.policies[0])).interface

        def act(self, images, poses, states):
            rows, steps = np.indices((len(images), 20))
            return np.stack([rows, steps], axis=-1).astype(np.float32)

    executed = follow(Chunks(), dataset, 1)
    steps = np.arange(len(dataset.vectors(1)[ACTION]) - 1)
    planned: dict[int, np.ndarray] = {}
    for look in range(0, len(steps), DEFAULT_CHUNKING.n_action_steps):
        for within in range(20):
            said, before = np.array([look, within]), planned.get(look + within)
            planned[look + within] = (
                said if before is None else said + DEFAULT_CHUNKING.temporal_ensemble_weight * (before - said)
            )
    np.testing.assert_allclose(executed, [planned[step] for step in steps], rtol=1e-5)


def test_numbers_are_kept_as_whole_thousandths():
    assert compact(np.array([[0.0123, -1.0], [0.5, 2.0]], np.float32), ("a", "b")) == {"a": "12 500", "b": "-1000 2000"}


def test_demonstrations_without_actions_are_refused(pipeline):
    umi = pipeline.store.root / "data"
    (auxiliary,) = [path for path in umi.iterdir() if "umi" in path.name]
    with pytest.raises(GlamError, match="holds no actions"):
        trajectories({}, auxiliary)
