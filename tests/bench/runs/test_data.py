import pytest

from glam.bench.run import SourceSize
from glam.bench.runs import DataRun, aligned
from glam.bench.runs.data import amounts, episode_size
from glam.sim.sensors import CameraOffset, PointTracker, Tracker
from glam.sim.tasks import find_task


def test_a_record_tells_how_many_there_are(pipeline):
    assert pipeline.records["data"]["result"]["episodes"] == 3


def test_a_title_tells_what_is_wrong_with_the_poses():
    assert DataRun("lift", "umi", 3, 100, Tracker(20.0, 5.0)).title == "lift-umi-3-from-100-20mm-5deg"
    assert DataRun("lift", "umi", 3, 100, Tracker(sees_gripper=False)).flaws == "-hidden-gripper"
    assert DataRun("lift", "umi", 3, 100, Tracker(tool_offset_mm=30.0)).flaws == "-30mm-tool"


def test_looks_that_vary_are_part_of_title_and_name_and_leave_other_names_as_they_were():
    plain, varied = DataRun("lift", "umi", 3, 100), DataRun("lift", "umi", 3, 100, vary_look=True)
    assert varied.title == "lift-umi-3-from-100-varied-look"
    assert varied.settings["collect"] == plain.settings["collect"] | {"vary_look": True}
    assert "vary_look" not in plain.settings["collect"]


def test_a_tenth_is_not_learnt_from():
    assert DataRun("lift", "umi", 444, 0).learnt == SourceSize("umi", 400)
    assert DataRun("lift", "kinova", 111, 0).learnt == SourceSize("kinova", 100)
    assert DataRun("lift", "kinova", 3, 0).learnt == SourceSize("kinova", 2)


def test_two_arms_and_long_episodes_are_more_work():
    assert DataRun("stack-two", "umi", 50, 0).size == 50.0
    assert episode_size("stack-three") > 3 * episode_size("stack-two") > 3 * episode_size("lift")


def test_amounts_name_every_source():
    wrong = DataRun("lift", "umi", 444, 0, Tracker(20.0))
    assert amounts(DataRun("lift", "kinova", 111, 0), (wrong,)) == "111+444-20mm"
    assert amounts(DataRun("lift", "kinova", 111, 0), ()) == "111"


@pytest.mark.parametrize("other", [{"seed": 1}, {"episodes": 4}, {"tracker": Tracker(1.0)}, {"embodiment": "umi"}])
def test_whatever_shapes_them_is_part_of_the_name(other):
    usual = {"task": "lift", "embodiment": "kinova", "episodes": 3, "seed": 0}
    assert DataRun(**usual).name != DataRun(**(usual | other)).name


def test_demonstrations_of_an_expert_that_has_changed_are_others(monkeypatch):
    before = DataRun("lift", "umi", 3, 100).name
    monkeypatch.setattr(type(find_task("lift")), "revision", 7)
    assert DataRun("lift", "umi", 3, 100).name != before


def test_frames_cameras_and_actions_are_part_of_titles():
    assert DataRun("lift", "umi", 3, 100).flaws == ""
    assert DataRun("lift", "umi", 3, 100, Tracker(has_own_frame=True)).flaws == "-own-frames"
    assert DataRun("lift", "umi", 3, 100, Tracker(gripper_readings=(0.2, 0.6))).flaws == "-gripper-units"
    offset = CameraOffset(10.0, 15.0, varies=True)
    assert DataRun("lift", "umi", 3, 100, camera_offset=offset).flaws == "-cameras-10cm-15deg-each"
    assert DataRun("lift", "umi", 3, 100, cameras=("front",)).flaws == "-front"
    assert DataRun("lift", "kinova", 3, 0, action_space="joint-torques").flaws == "-joint-torques"


def test_what_is_known_of_the_hand_is_part_of_titles_and_leaves_other_names_as_they_were():
    plain = DataRun("lift", "umi", 3, 100)
    tracked = DataRun("lift", "umi", 3, 100, has_pose=False, points=PointTracker(1))
    assert tracked.flaws == "-no-pose-tracks-1px"
    assert DataRun("lift", "umi", 3, 100, points=PointTracker(0.25, 0.1)).flaws == "-tracks-0.25px-lost-0.1"
    assert not {"has_pose", "has_tracks", "points"} & set(plain.settings["collect"])
    assert tracked.settings["collect"]["has_tracks"]


def test_aligned_demonstrations_need_those_that_were_recorded_and_the_targets():
    target, own = DataRun("lift", "kinova", 3, 0), DataRun("lift", "umi", 3, 100, Tracker(has_own_frame=True))
    run = aligned(own, target)
    assert run.needs == (own, target)
    assert run.flaws == "-own-frames-aligned"
    assert run.learnt == own.learnt
    assert run.name != aligned(own, DataRun("lift", "kinova", 4, 0)).name
