from glam.bench.grids.regimes import EXACT, METHODS, TASKS, regimes
from glam.bench.run import ordered
from glam.bench.runs import EvaluationRun, ReplayRun, WorldModelRun

CELLS = tuple(regimes())


def words(cell):
    return cell.detail.partition(":")[0]


def test_every_regime_has_replays_beside_its_policies():
    replays = {(cell.task, words(cell), cell.method) for cell in CELLS if isinstance(cell.run, ReplayRun)}
    policies = {(cell.task, words(cell), cell.method) for cell in CELLS if isinstance(cell.run, EvaluationRun)}
    assert replays == {one for one in policies if one[2].startswith("glam")}


def test_every_method_is_in_the_first_regime_and_retarget_wherever_it_can_run():
    for task in TASKS:
        assert {cell.method for cell in CELLS if (cell.task, cell.detail) == (task, EXACT)} == set(METHODS)
        without = {
            words(cell)
            for cell in CELLS
            if cell.task == task
            and not any(
                other.method == "retarget" and words(other) == words(cell) for other in CELLS if other.task == task
            )
        }
        assert without == {"joint torques", "world model of other tasks' auxiliary data"}


def test_other_tasks_tell_the_world_model_and_the_task_itself_the_policy():
    (cell,) = [
        cell
        for cell in CELLS
        if cell.task == "stack-two" and cell.detail.startswith("world model of") and isinstance(cell.run, EvaluationRun)
    ]
    (model,) = [run for run in ordered([cell.run]) if isinstance(run, WorldModelRun)]
    assert [data.task for data in model.auxiliary] == ["lift", "pick-place"]
    assert [data.task for data in cell.run.policy.auxiliary] == ["stack-two"]


def test_no_cell_is_tried_on_test_scenes():
    assert all(cell.run.split == "validation" for cell in CELLS if isinstance(cell.run, EvaluationRun))
