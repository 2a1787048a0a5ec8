"""Every method of the race is tuned alike."""

import pytest

from glam.bench.grids import GRIDS, find_grid
from glam.bench.grids.parts import CHOSEN, policy_by
from glam.bench.grids.tuning import SETTINGS, SHORT, SHORT_RECIPE, TASKS, choice
from glam.bench.run import ordered
from glam.bench.runs import Change, DataRun, PolicyRun, WorldModelRun


def runs_of(grid, kind=None):
    runs = ordered([cell.run for cell in find_grid(grid)])
    return [run for run in runs if kind is None or isinstance(run, kind)]


def test_every_method_is_tuned_alike_by_one_change_at_a_time_in_trainings_of_one_length():
    cells = find_grid("tuning")
    tried = {method: [cell for cell in cells if cell.method == method] for method in SETTINGS}
    assert set(tried) == {"mip", "clam", "clam-o", "lapa", "lapa-o", "glam", "glam-o", "retarget"}
    for method, own in tried.items():
        assert [(cell.task, cell.detail) for cell in own] == [
            (task, name) for name in SETTINGS[method] for task in TASKS
        ]
        assert len(own) == 10, method  # five settings on two tasks
        assert {(cell.run.episodes, cell.run.split, cell.seed) for cell in own} == {(200, "validation", 0)}
        assert sorted(cell.run.policy.settings.fit.steps for cell in own) == [SHORT] * 8 + [10_000] * 2
    for cell in cells:
        policy = cell.run.policy
        plain = policy_by(cell.method, cell.task, setting=SETTINGS[cell.method][SHORT_RECIPE])
        changes = set(policy.changes) ^ set(plain.changes) | set(
            policy.world_model.changes if policy.world_model else ()
        )
        assert len(changes) == (cell.detail != SHORT_RECIPE)
        assert len({policy.name, plain.name}) == 1 + len(changes)
        assert policy.settings.policy.keypoint_weight == 0.0


def test_settings_of_the_policy_share_world_models_and_all_methods_demonstrations_with_the_main_figure():
    tuned, main = set(runs_of("tuning")), set(runs_of("main"))
    assert {run for run in tuned if isinstance(run, DataRun)} == {
        run for run in main if isinstance(run, DataRun) and run.task in TASKS and run.episodes in (111, 444)
    }
    others = [run for run in tuned - main if isinstance(run, WorldModelRun)]
    assert {run.changes for run in others} == {(Change("model.states.reconstruction_weight", 1.0),)}
    assert len(others) == len({run for run in tuned & main if isinstance(run, WorldModelRun)}) == 6 * len(TASKS)
    assert len({run for run in tuned & main if isinstance(run, PolicyRun)}) == len(SETTINGS) * len(TASKS)


@pytest.mark.parametrize(
    ("successes", "expected"),
    [
        ((200, 190, 189, 188, 187), ()),
        ((190, 190, 190, 190, 190), ()),  # at a tie the recipe, in full
        ((200, 190, 191, 191, 180), ("learning rate 0.0005",)),
        ((100, 190, 180, 191, 180), ("steps 2000", "learning rate 0.002")),
        ((190, 191, 0, 0, 0), ("steps 2000",)),
    ],
)
def test_the_rule_chooses_settings_among_short_trainings_and_steps_with_the_recipe(successes, expected):
    chosen = choice("mip", dict(zip(SETTINGS["mip"], successes, strict=True)))
    assert tuple(map(str, chosen.policy)) == expected
    assert chosen.world_model == ()


def test_the_rule_can_choose_a_setting_of_the_world_model():
    chosen = choice("clam", dict(zip(SETTINGS["clam"], (200, 100, 100, 100, 101), strict=True)))
    assert (chosen.policy, tuple(map(str, chosen.world_model))) == ((), ("reconstruction weight 1.0",))


def test_a_chosen_setting_is_used_by_every_grid_and_changes_neither_tuning_nor_tasks(monkeypatch):
    before = {name: {run.name for run in runs_of(name)} for name in ("tuning", "tasks")}
    setting = choice("glam-o", dict(zip(SETTINGS["glam-o"], (200, 100, 100, 100, 101), strict=True)))
    monkeypatch.setitem(CHOSEN, "glam-o", setting)
    monkeypatch.setitem(CHOSEN, "mip", SETTINGS["mip"][SHORT_RECIPE])
    assert {name: {run.name for run in runs_of(name)} for name in before} == before
    for name in sorted(GRIDS.keys() - {"tuning", "tasks", "smoke", "world-models", "method"}):
        for run in runs_of(name, PolicyRun):
            if run.preset != "cpu":
                continue
            if run.method in ("mip", "direct"):
                assert run.settings.fit.steps == SHORT
            elif run.world_model is not None:
                is_ours = run.world_model.method.startswith("glam-o")
                assert run.world_model.changes == (setting.world_model if is_ours else ())
