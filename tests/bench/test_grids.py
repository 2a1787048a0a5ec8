from itertools import pairwise

import pytest

from glam.bench.grids import GRIDS, find_grid
from glam.bench.grids.ablation import CALIBRATION
from glam.bench.grids.main import FIRST, MASKED_TASKS
from glam.bench.grids.method import SOURCES
from glam.bench.grids.parts import SEEDS, TASKS, UPPER_BOUND, embodiment_of
from glam.bench.run import ordered
from glam.bench.runs import DataRun, EvaluationRun, PolicyRun, ReplayRun, TrajectoriesRun, WorldModelRun
from glam.core.errors import GlamError
from glam.core.simulated import FIRST_VALIDATION_SEED
from glam.policies.heads import HEADS
from glam.recipes import METHODS
from glam.sim.tasks import find_task


def runs_of(grid, kind=None):
    runs = ordered([cell.run for cell in find_grid(grid)])
    return [run for run in runs if kind is None or isinstance(run, kind)]


def cells_of(grid, kind=EvaluationRun, seed=0):
    return [cell for cell in find_grid(grid) if isinstance(cell.run, kind) and cell.seed == seed]


@pytest.mark.parametrize("name", GRIDS)
def test_names_and_titles_are_unique_and_no_test_configuration_is_recorded(name):
    runs = runs_of(name)
    assert len({(run.kind, run.name) for run in runs}) == len(runs)
    assert len({(run.kind, run.title) for run in runs}) == len(runs)
    assert all(run.seed + run.episodes < FIRST_VALIDATION_SEED for run in runs if isinstance(run, DataRun))


@pytest.mark.parametrize("name", GRIDS)
def test_no_two_cells_are_the_same_to_a_reader(name):
    cells = find_grid(name)
    assert len({(cell.run.kind, cell.title) for cell in cells}) == len(cells)


@pytest.mark.parametrize("name", GRIDS)
def test_policies_are_tried_on_the_robot_that_recorded_their_target(name):
    for run in runs_of(name, EvaluationRun):
        assert run.embodiment == run.policy.target.embodiment
    for run in runs_of(name, ReplayRun):
        assert run.embodiment == run.world_model.target.embodiment


@pytest.mark.parametrize(
    "name", sorted(set(GRIDS) - {"smoke", "world-models", "policies", "heads", "tuning", "tasks", "method", "regimes"})
)
def test_a_second_training_of_anything_comes_after_the_first_of_everything(name):
    seeds = [cell.seed for cell in find_grid(name)]
    assert seeds == sorted(seeds)
    assert set(seeds) == set(SEEDS)


def test_scenes_of_training_and_of_held_out_episodes_are_disjoint():
    """A larger set of one embodiment begins with the smaller one; sets of different purpose share nothing."""
    for name in GRIDS:
        spans = {}
        for run in runs_of(name, DataRun):
            spans[run.seed] = max(spans.get(run.seed, 0), run.seed + run.episodes)
        assert all(end <= start for (_, end), (start, _) in pairwise(sorted(spans.items()))), name


def test_the_main_figure_has_every_method_on_every_task_and_its_question_first():
    cells = cells_of("main")
    methods = {"mip", "clam", "clam-o", "lapa", "lapa-o", "glam", "glam-o", "retarget", UPPER_BOUND}
    assert {(cell.task, cell.method) for cell in cells} == {(task, method) for task in TASKS for method in methods}
    assert len(cells) == 5 * 9
    assert {(cell.task, cell.method) for cell in cells[:20]} == {(task, method) for task in TASKS for method in FIRST}


@pytest.mark.parametrize(
    ("method", "sources"),
    [
        ("glam-o", [100, 400]),
        ("lapa", [100, 400]),
        ("retarget", [100, 400]),
        ("mip", [100]),
        ("clam-o", [100]),
        (UPPER_BOUND, [500]),
    ],
)
def test_every_method_of_the_main_figure_learns_from_what_is_its_due(method, sources):
    for cell in cells_of("main"):
        if cell.method == method:
            assert [source.episodes for source in cell.run.learnt_from] == sources
            assert cell.run.learnt_from[0].embodiment == embodiment_of(cell.task)
            assert cell.run.episodes == 200


@pytest.mark.parametrize("name", sorted(set(GRIDS) - {"transfer", "world-models"}))
def test_final_tables_are_made_of_tests_and_settings_are_chosen_on_validation_scenes(name):
    expected = "validation" if name in ("tuning", "tasks", "heads", "method", "smoke", "regimes") else "test"
    assert {run.split for run in runs_of(name, EvaluationRun)} == {expected}


def test_the_room_in_the_tasks_is_measured_by_mip_alone():
    cells = find_grid("tasks")
    points = [(cell.task, cell.seed, *(source.episodes for source in cell.run.learnt_from)) for cell in cells]
    assert sorted(points) == sorted((task, seed, count) for task in TASKS for seed in (0, 1) for count in (100, 500))
    assert {run.method for run in runs_of("tasks", PolicyRun)} == {"mip"}
    assert {cell.run.episodes for cell in cells} == {200}


def test_only_the_grid_with_masks_gives_masks_to_policies_and_gives_them_to_every_method():
    weights = {name: {run.settings.policy.keypoint_weight for run in runs_of(name, PolicyRun)} for name in GRIDS}
    assert weights.pop("with-masks") == {20.0}
    assert all(found <= {0.0} for found in weights.values())
    plain = {(cell.task, cell.method, cell.seed) for cell in find_grid("main") if cell.task in MASKED_TASKS}
    assert {(cell.task, cell.method, cell.seed) for cell in find_grid("with-masks")} == plain
    known = set(runs_of("main"))
    assert all(run in known for run in runs_of("with-masks", (WorldModelRun, DataRun)))


def test_world_model_and_policy_hold_out_the_same_episodes_in_every_training():
    for name in GRIDS:
        for run in runs_of(name, PolicyRun):
            model = run.world_model
            assert model is None or model.seed == run.seed
            assert model is None or model.settings.held_out == run.settings.held_out


def test_tasks_of_the_real_robot_have_the_stand_in_as_target():
    assert {task for task in TASKS if embodiment_of(task) == "kinova-lab"} == {"lift", "pick-place", "knock-down"}


def test_two_arms_have_twice_as_large_a_latent_action():
    (model,) = [run for run in runs_of("main", WorldModelRun) if run.title == "glam-o-stack-three-111+444-s0"]
    assert model.settings.latent_per_arm * len(find_task("stack-three").arms) == 16


def test_scaling_has_three_curves_on_one_world_model():
    cells = cells_of("scaling")
    points = {(cell.method, tuple(source.episodes for source in cell.run.learnt_from)) for cell in cells}
    labelled = (100, 200, 300, 400, 500)
    assert points == {
        *(("mip", (count,)) for count in labelled),
        *(("glam-o", (count,)) for count in labelled),
        *(("glam-o", (100, count)) for count in (100, 200, 300, 400)),
    }
    assert len({cell.run.policy.world_model for cell in cells if cell.method == "glam-o"}) == 1


def test_with_few_labels_the_world_model_sees_no_more_of_them_than_the_policy():
    cells = cells_of("few-labels")
    points = {(cell.method, *(source.episodes for source in cell.run.learnt_from)) for cell in cells}
    assert points == {
        point for count in (25, 50, 100) for point in (("mip", count), ("glam-o", count, 400), ("retarget", count, 400))
    }
    for cell in cells:
        model = cell.run.policy.world_model
        assert model is None or model.learnt_from == cell.run.learnt_from


def test_smoothness_is_measured_in_the_trials_of_scaling():
    trials = {cell.run for cell in cells_of("smoothness")}
    assert trials == {cell.run for cell in cells_of("scaling")}
    (shown,) = cells_of("smoothness", TrajectoriesRun)
    totals = [sum(source.episodes for source in policy.learnt_from) for policy in shown.run.policies]
    assert totals == [300, 300]
    known = {data.seed for policy in shown.run.policies for data in ordered([policy]) if isinstance(data, DataRun)}
    assert shown.run.demonstrations.seed not in known


def test_a_third_source_is_compared_with_two():
    cells = cells_of("third-source")
    counts = {(cell.task, cell.detail): [source.episodes for source in cell.run.learnt_from] for cell in cells}
    assert counts == {
        (task, detail): numbers
        for task in ("lift", "pick-place", "knock-down")
        for detail, numbers in (("two sources", [100, 400]), ("three sources", [100, 400, 100]))
    }
    assert {source.embodiment for source in cells[1].run.learnt_from} == {"kinova-lab", "umi", "kinova"}
    assert cells[1].run.policy.world_model.auxiliary == cells[1].run.policy.auxiliary


def test_every_source_is_replayed_on_every_task():
    found = {(cell.task, cell.detail) for cell in cells_of("transfer", ReplayRun)}
    assert found == {
        (task, f"{source} to {embodiment_of(task)}") for task in TASKS for source in ("umi", "kinova", "kinova-lab")
    }


def test_each_part_of_the_method_is_ablated_by_replay_and_by_trials():
    ablated = {name for name in METHODS if name.startswith("glam-o")} | {"clam-both", "clam-o-both"}
    for task in ("stack-two", "knock-down"):
        trials = {(cell.method, cell.detail) for cell in cells_of("ablation") if cell.task == task}
        assert trials == {
            *((method, "") for method in (*ablated, "retarget")),
            ("glam-o", CALIBRATION),
            ("retarget", CALIBRATION),
        }
        replays = [cell for cell in cells_of("ablation", ReplayRun) if cell.task == task]
        assert {cell.method for cell in replays} == ablated
        assert len(replays) == len(ablated) + 1


@pytest.mark.parametrize("grid", ["policies", "scaling", "few-labels", "third-source", "transfer", "ablation"])
def test_grids_share_what_they_have_in_common_with_the_main_one(grid):
    shared = set(runs_of("main")) & set(runs_of(grid))
    kinds = {type(run) for run in shared}
    assert {DataRun, WorldModelRun} <= kinds
    assert grid == "transfer" or {PolicyRun, EvaluationRun} <= kinds


def test_every_method_of_stage_one_is_compared_and_the_main_ones_with_three_seeds():
    models = runs_of("world-models", WorldModelRun)
    plain = [model for model in models if model.target.task == "stack-two" and not model.auxiliary[0].flaws]
    assert {model.method for model in plain} == set(METHODS)
    for method in ("glam-o", "glam", "clam-o", "lapa-o"):
        assert {model.seed for model in plain if model.method == method} == {0, 1, 2}


def test_the_method_is_shown_by_replays_of_every_source_its_ablations_and_five_policies():
    for seed in (0, 1):
        replays = cells_of("method", ReplayRun, seed)
        plain = {(cell.task, cell.method, cell.run.source.embodiment) for cell in replays if ":" not in cell.detail}
        assert plain == {(task, name, source) for task in TASKS for name in ("glam-o", "glam") for source in SOURCES}
        for task in ("stack-two", "pick-place"):
            models = [cell.run.world_model for cell in replays if cell.task == task]
            assert {model.settings.model.idm_frames for model in models} == {2, 4, 6}
            assert {model.settings.fit.grad_clip for model in models} == {10.0, 5000.0, 100_000.0}
            assert {model.settings.batch.target_windows for model in models} == {8, 24}
            assert {model.settings.model.action_weight for model in models} == {1.0, 30.0}
            weights = {}
            for model in models:
                key = model.method, model.auxiliary[0].tracker
                weights.setdefault(key, set()).add(model.settings.model.forward_weight)
            assert len(weights) == 5
            assert set(map(frozenset, weights.values())) == {frozenset({0.0, 1.0, 30.0, 100.0})}
            augmented = {model.settings.model.states.augmentation for model in models if model.method == "glam"}
            assert len(augmented) == 6
        policies = {(cell.task, cell.method) for cell in cells_of("method", seed=seed)}
        assert policies == {
            (task, name) for task in TASKS for name in ("mip", "glam", "glam-o", "retarget", UPPER_BOUND)
        }
    assert set(runs_of("main", WorldModelRun)) & set(runs_of("method", WorldModelRun))


def test_an_unknown_benchmark_is_refused_by_name():
    with pytest.raises(GlamError, match="main-course"):
        find_grid("main-course")


def test_images_are_shifted_alike_for_every_policy():
    shifts = {run.settings.policy.observation.random_shift for name in GRIDS for run in runs_of(name, PolicyRun)}
    assert len(shifts) == 1


def test_every_head_is_tried_with_latent_and_with_direct_policies_on_the_same_data():
    cells = cells_of("heads")
    assert {(cell.method == "glam-o", cell.run.policy.settings.policy.head.kind) for cell in cells} == {
        (is_latent, head) for is_latent in (True, False) for head in HEADS
    }
    for cell in cells:
        assert cell.detail == f"head {cell.run.policy.settings.policy.head.kind}"
        sources = [source.episodes for source in cell.run.learnt_from]
        assert sources == ([100, 400] if cell.method == "glam-o" else [100])
        assert cell.run.policy.settings.fit.steps == 1500
