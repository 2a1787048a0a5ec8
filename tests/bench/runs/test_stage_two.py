from dataclasses import replace

import pytest

from glam.bench.run import SourceSize
from glam.bench.runs import Change, DataRun, EvaluationRun, PolicyRun, TrajectoriesRun, WorldModelRun
from glam.bench.runs.stage_two import outcomes
from glam.core.configs import to_json
from glam.core.simulated import FIRST_TEST_SEED
from glam.evaluation.evaluations import RolloutRecord
from glam.evaluation.motion import Smoothness
from glam.sim.sensors import Tracker

TARGET, AUXILIARY = DataRun("lift", "kinova", 111, 0), DataRun("lift", "umi", 444, 100)
MODEL = WorldModelRun("glam-o", TARGET, (AUXILIARY,))


def test_records_tell_what_a_table_needs(pipeline):
    assert pipeline.records["policy"]["result"]["training_seconds"] > 0
    found = pipeline.records["evaluation"]["result"]
    assert len(found["outcomes"]) == found["episodes"] == 2
    assert found["successes"] + sum(found["failed_stages"].values()) == 2


def test_run_records_tell_how_a_run_was_made(pipeline):
    run_record = pipeline.records["policy"]
    assert run_record["config"]["world_model"]["method"] == "glam-o"
    assert run_record["machine"]["versions"]["torch"]
    assert run_record["seconds"] > 0


def test_a_latent_policy_without_auxiliary_data_learns_from_the_target_alone(pipeline):
    alone, _ = pipeline.policies
    assert pipeline.store.is_done(alone)
    assert alone.learnt_from == (SourceSize("kinova", 2),)


def test_titles_tell_all_sources_and_names_begin_with_the_stem():
    wrong = DataRun("lift", "umi", 444, 100, Tracker(20.0, 5.0))
    policy = PolicyRun("latent", TARGET, (wrong,), MODEL, seed=2)
    assert policy.title == "latent-glam-o-lift-111+444-20mm-5deg-s2"
    assert policy.name.startswith("latent-glam-o-lift-111-s2-")
    assert PolicyRun("mip", TARGET).title == PolicyRun("mip", TARGET).stem == "mip-lift-111-s0"
    assert EvaluationRun(policy, "kinova-lab").title == f"{policy.title}-on-kinova-lab"
    assert EvaluationRun(policy, "kinova-lab").stem == f"{policy.stem}-on-kinova-lab"
    assert TrajectoriesRun((policy, PolicyRun("mip", TARGET)), TARGET).title == f"{policy.title}-and-mip-lift-111-s0"


def test_robot_and_number_of_trials_are_part_of_the_name():
    policy = PolicyRun("mip", TARGET)
    trials = [EvaluationRun(policy), EvaluationRun(policy, "kinova-lab"), EvaluationRun(policy, episodes=50)]
    assert len({trial.name for trial in trials}) == 3


def test_a_changed_recipe_is_another_run_that_tells_what_is_changed():
    plain, changed = (
        PolicyRun("mip", TARGET),
        PolicyRun("mip", TARGET, changes=(Change("policy.observation.random_shift", 0.2),)),
    )
    assert changed.settings.policy.observation.random_shift == 0.2
    assert changed.title == f"{plain.title}, random shift 0.2"
    assert changed.name != plain.name
    same = PolicyRun("mip", TARGET, changes=(Change("fit.steps", plain.settings.fit.steps),))
    assert same.name == plain.name  # settings make the name, not how they are written


def test_what_is_executed_and_from_where_makes_another_run():
    policy = PolicyRun("mip", TARGET)
    trials = [
        EvaluationRun(policy),
        EvaluationRun(policy, n_action_steps=7),
        EvaluationRun(policy, split="test"),
    ]
    assert len({trial.name for trial in trials}) == 3
    assert trials[1].title == f"{trials[0].title}, n_action_steps 7"
    assert (trials[1].settings.n_action_steps, trials[2].settings.seeds[0]) == (7, FIRST_TEST_SEED)


def test_what_a_policy_has_to_do_without_makes_another_run_and_leaves_other_names_as_they_were():
    plain = EvaluationRun(PolicyRun("mip", TARGET))
    blind = replace(plain, without=("tracks",))
    assert blind.title == f"{plain.title}, without tracks"
    assert blind.settings == to_json(plain.settings) | {"without": ["tracks"]}
    assert "without" not in to_json(plain.settings)


def record(seed, stage, *hands):
    is_success = stage == "none"
    return RolloutRecord(
        "lift", "mip", "kinova", 0, "test", seed, is_success, 9, stage, "" if is_success else "no", hands
    )


def test_outcomes_tell_each_trial_where_failures_lie_and_how_smooth_it_was():
    hands = Smoothness(-10.0, 0.1), Smoothness(-14.0, 0.3)
    found = outcomes((record(7, "none", hands[0]), record(8, "grasp", hands[1]), record(9, "grasp")))
    assert (found["first_seed"], found["outcomes"], found["successes"], found["episodes"]) == (7, "100", 1, 3)
    assert found["failed_stages"] == {"grasp": 2}
    assert found["smoothness"]["jerk"] == -12.0
    assert found["smoothness"]["fft_deviation"] == pytest.approx(0.2 / 2**0.5)
    assert found["smoothness"]["movements"] == 2.0
    assert found["smoothness_of_successes"] == {
        "jerk": -10.0, "fft": 0.1, "jerk_deviation": 0.0, "fft_deviation": 0.0, "movements": 1.0,
    }  # fmt: skip


def test_where_no_hand_moved_there_is_no_smoothness():
    assert outcomes((record(7, "reach"),))["smoothness"] == {}
