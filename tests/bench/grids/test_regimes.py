from glam.bench.grids.regimes import EXACT, METHODS, TASKS, TRACK_NOISE, regimes
from glam.bench.run import ordered
from glam.bench.runs import DataRun, EvaluationRun, ReplayRun, WorldModelRun

CELLS = tuple(regimes())


def words(cell):
    return cell.detail.partition(":")[0].removesuffix(", no tracks at run time")


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
        assert without == {
            "joint torques",
            "no poses and no tracks",
            "world model of all tasks' auxiliary data",
            "world model of other tasks' auxiliary data",
            *(f"tracks with {noise:g} px of noise, no poses" for noise in TRACK_NOISE),
            "a person's hand, tracks with 1 px of noise, no poses",
        }


def test_with_tracks_no_auxiliary_pose_is_known_and_every_policy_is_tried_with_its_tracks_and_without():
    cells = [cell for cell in CELLS if "tracks with" in cell.detail and isinstance(cell.run, EvaluationRun)]
    for policy in {cell.run.policy for cell in cells}:
        assert {cell.run.without for cell in cells if cell.run.policy == policy} == {(), ("tracks",)}
    for cell in cells:
        target, *others = (data for data in cell.run.policy.needs if isinstance(data, DataRun))
        assert (target.has_pose, target.points is not None) == (True, True)
        assert all((data.has_pose, data.points) == (False, target.points) for data in others)


def test_with_neither_poses_nor_tracks_the_methods_are_those_that_need_none():
    cells = [cell for cell in CELLS if words(cell) == "no poses and no tracks" and isinstance(cell.run, EvaluationRun)]
    assert {cell.method for cell in cells} == {"mip", "glam-o-no-pose", "glam-no-pose"}
    assert not any(data.has_pose for cell in cells for data in cell.run.policy.auxiliary)


def test_other_tasks_tell_the_world_model_and_the_task_itself_the_policy():
    (cell,) = [
        cell
        for cell in CELLS
        if cell.task == "stack-two"
        and cell.detail.startswith("world model of other")
        and isinstance(cell.run, EvaluationRun)
    ]
    (model,) = [run for run in ordered([cell.run]) if isinstance(run, WorldModelRun)]
    assert [data.task for data in model.auxiliary] == ["lift", "pick-place"]
    assert [data.task for data in cell.run.policy.auxiliary] == ["stack-two"]


def test_no_cell_is_tried_on_test_scenes():
    assert all(cell.run.split == "validation" for cell in CELLS if isinstance(cell.run, EvaluationRun))
