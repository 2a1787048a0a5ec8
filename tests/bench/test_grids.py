from itertools import pairwise

import pytest

from glam.bench.grids import GRIDS, find_grid
from glam.bench.grids.ablation import CALIBRATION
from glam.bench.grids.main import FIRST
from glam.bench.grids.parts import SEEDS, TASKS, UPPER_BOUND, robot_of
from glam.bench.grids.tuning import AS_IT_IS
from glam.bench.node import ordered
from glam.bench.nodes import Data, Evaluation, Policy, Replay, Trajectories, WorldModel
from glam.core.errors import GlamError
from glam.core.seeds import FIRST_TEST_SEED, FIRST_VALIDATION_SEED
from glam.recipes.world_models import METHODS
from glam.reports.results import costs
from glam.sim.tasks import find_task

PINNED = {
    "data": ["stack-two-kinova-111-from-0-ed7154a6", "stack-two-umi-444-from-100000-83b17957"],
    "world-model": ["glam-o-stack-two-s0-b6e64d35"],
    "source-probe": ["glam-o-stack-two-s0-1a05e1ec", "glam-stack-two-s0-6eef97ac"],
    "replay": [
        "glam-o-stack-two-s0-umi-to-kinova-436ce71b",
        "glam-o-lift-s0-kinova-lab-to-kinova-9276e1d5",
        "lapa-stack-two-s0-umi-to-kinova-5897377f",
    ],
    "evaluation": [
        "mip-stack-two-111-s0-on-kinova-87426607",
        "mip-stack-two-556-s0-on-kinova-09ee46dd",
        "latent-glam-o-stack-two-111-s0-on-kinova-b7d72769",
        "retarget-stack-two-111-s0-on-kinova-fdd6361d",
    ],
}


def nodes_of(grid, kind=None):
    nodes = ordered([cell.node for cell in find_grid(grid)])
    return [node for node in nodes if kind is None or isinstance(node, kind)]


def cells_of(grid, kind=Evaluation, seed=0):
    return [cell for cell in find_grid(grid) if isinstance(cell.node, kind) and cell.seed == seed]


def test_results_are_found_again_under_the_names_they_were_made_under():
    """Names are hashes of all settings: a recipe that changes makes other results, and its names go in here."""
    made = {(node.kind, node.name) for grid in ("world-models", "policies") for node in nodes_of(grid)}
    for kind, names in PINNED.items():
        for name in names:
            assert (kind, name) in made


@pytest.mark.parametrize("name", GRIDS)
def test_names_and_titles_are_unique_and_no_test_configuration_is_recorded(name):
    nodes = nodes_of(name)
    assert len({(node.kind, node.name) for node in nodes}) == len(nodes)
    assert len({(node.kind, node.title) for node in nodes}) == len(nodes)
    assert all(node.seed + node.episodes < FIRST_VALIDATION_SEED for node in nodes if isinstance(node, Data))


def test_the_page_of_results_counts_what_every_grid_costs():
    assert set(costs.GRIDS) == GRIDS.keys() - {"smoke"}


@pytest.mark.parametrize("name", GRIDS)
def test_no_two_cells_are_the_same_to_a_reader(name):
    cells = find_grid(name)
    assert len({(cell.node.kind, cell.title) for cell in cells}) == len(cells)


@pytest.mark.parametrize("name", GRIDS)
def test_policies_are_tried_on_the_robot_that_recorded_their_target(name):
    for node in nodes_of(name, Evaluation):
        assert node.robot == node.policy.target.embodiment
    for node in nodes_of(name, Replay):
        assert node.robot == node.world_model.target.embodiment


@pytest.mark.parametrize("name", sorted(set(GRIDS) - {"smoke", "world-models", "policies", "tuning"}))
def test_a_second_training_of_anything_comes_after_the_first_of_everything(name):
    seeds = [cell.seed for cell in find_grid(name)]
    assert seeds == sorted(seeds)
    assert set(seeds) == set(SEEDS)


def test_configurations_of_training_and_of_unseen_episodes_are_disjoint():
    """A larger set of one embodiment begins with the smaller one; sets of different purpose share nothing."""
    for name in GRIDS:
        spans = {}
        for node in nodes_of(name, Data):
            spans[node.seed] = max(spans.get(node.seed, 0), node.seed + node.episodes)
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
            assert [source.episodes for source in cell.node.learnt_from] == sources
            assert cell.node.learnt_from[0].embodiment == robot_of(cell.task)
            assert cell.node.episodes == 200


def test_tuning_changes_one_thing_at_a_time_and_sees_no_test_configuration():
    cells = cells_of("tuning")
    recipes = {(cell.task, cell.method): cell.node for cell in cells if cell.detail == AS_IT_IS}
    assert len(recipes) == 7
    for cell in cells:
        plain = recipes[cell.task, cell.method]
        is_other_policy = cell.node.policy.settings != plain.policy.settings
        is_other_chunking = (cell.node.n_action_steps, cell.node.temporal_ensemble_weight) != (
            plain.n_action_steps,
            plain.temporal_ensemble_weight,
        )
        assert is_other_policy + is_other_chunking == (cell.detail != AS_IT_IS)
        things = (1 + cell.detail.count(",")) if is_other_policy else 0  # two where the words name two
        assert len(set(cell.node.policy.changes) ^ set(plain.policy.changes)) == things
    assert all(cell.node.first_seed + cell.node.episodes < FIRST_TEST_SEED for cell in cells)
    assert {cell.node.first_seed for cell in cells} == {FIRST_VALIDATION_SEED}


def test_tasks_of_the_real_robot_have_the_stand_in_as_target():
    assert {task for task in TASKS if robot_of(task) == "kinova-lab"} == {"lift", "pick-place", "knock-down"}


def test_two_arms_have_twice_as_large_a_latent_action():
    (model,) = [node for node in nodes_of("main", WorldModel) if node.title == "glam-o-stack-three-111+444-s0"]
    assert model.settings.latent_per_arm * len(find_task("stack-three").arms) == 16


def test_scaling_has_three_curves_on_one_world_model():
    cells = cells_of("scaling")
    points = {(cell.method, tuple(source.episodes for source in cell.node.learnt_from)) for cell in cells}
    labelled = (100, 200, 300, 400, 500)
    assert points == {
        *(("mip", (count,)) for count in labelled),
        *(("glam-o", (count,)) for count in labelled),
        *(("glam-o", (100, count)) for count in (100, 200, 300, 400)),
    }
    assert len({cell.node.policy.world_model for cell in cells if cell.method == "glam-o"}) == 1


def test_with_few_labels_the_world_model_sees_no_more_of_them_than_the_policy():
    cells = cells_of("few-labels")
    points = {(cell.method, *(source.episodes for source in cell.node.learnt_from)) for cell in cells}
    assert points == {
        point for count in (25, 50, 100) for point in (("mip", count), ("glam-o", count, 400), ("retarget", count, 400))
    }
    for cell in cells:
        model = cell.node.policy.world_model
        assert model is None or model.learnt_from == cell.node.learnt_from


def test_smoothness_is_measured_in_the_trials_of_scaling():
    trials = {cell.node for cell in cells_of("smoothness")}
    assert trials == {cell.node for cell in cells_of("scaling")}
    (shown,) = cells_of("smoothness", Trajectories)
    totals = [sum(source.episodes for source in policy.learnt_from) for policy in shown.node.policies]
    assert totals == [300, 300]
    known = {data.seed for policy in shown.node.policies for data in ordered([policy]) if isinstance(data, Data)}
    assert shown.node.demonstrations.seed not in known


def test_a_third_source_is_compared_with_two():
    cells = cells_of("third-source")
    counts = {(cell.task, cell.detail): [source.episodes for source in cell.node.learnt_from] for cell in cells}
    assert counts == {
        (task, detail): numbers
        for task in ("lift", "pick-place", "knock-down")
        for detail, numbers in (("two sources", [100, 400]), ("three sources", [100, 400, 100]))
    }
    assert {source.embodiment for source in cells[1].node.learnt_from} == {"kinova-lab", "umi", "kinova"}
    assert cells[1].node.policy.world_model.auxiliary == cells[1].node.policy.auxiliary


def test_every_source_is_replayed_on_every_task():
    found = {(cell.task, cell.detail) for cell in cells_of("transfer", Replay)}
    assert found == {
        (task, f"{source} to {robot_of(task)}") for task in TASKS for source in ("umi", "kinova", "kinova-lab")
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
        replays = [cell for cell in cells_of("ablation", Replay) if cell.task == task]
        assert {cell.method for cell in replays} == ablated
        assert len(replays) == len(ablated) + 1


@pytest.mark.parametrize("grid", ["policies", "scaling", "few-labels", "third-source", "transfer", "ablation"])
def test_grids_share_what_they_have_in_common_with_the_main_one(grid):
    shared = set(nodes_of("main")) & set(nodes_of(grid))
    kinds = {type(node) for node in shared}
    assert {Data, WorldModel} <= kinds
    assert grid == "transfer" or {Policy, Evaluation} <= kinds


def test_every_method_of_stage_one_is_compared_and_the_main_ones_with_three_seeds():
    models = nodes_of("world-models", WorldModel)
    plain = [model for model in models if model.target.task == "stack-two" and not model.auxiliary[0].flaws]
    assert {model.method for model in plain} == set(METHODS)
    for method in ("glam-o", "glam", "clam-o", "lapa-o"):
        assert {model.seed for model in plain if model.method == method} == {0, 1, 2}


def test_an_unknown_benchmark_is_refused_by_name():
    with pytest.raises(GlamError, match="main-course"):
        find_grid("main-course")


def test_images_are_shifted_for_every_policy_of_the_robot_with_unsteady_cameras_and_for_no_other():
    for name in sorted(GRIDS.keys() - {"smoke", "tuning"}):
        for node in nodes_of(name, Policy):
            is_shifted = node.settings.policy.condition.shift > 0
            assert is_shifted == (node.target.embodiment == "kinova-lab")
