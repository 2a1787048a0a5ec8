from glam.bench.run import SourceSize
from glam.bench.runs import ActionProbeRun, Change, DataRun, ReplayRun, SourceProbeRun, WorldModelRun
from glam.sim.sensors import Tracker

TARGET, AUXILIARY = DataRun("lift", "kinova", 111, 0), DataRun("lift", "umi", 444, 100)


def test_records_tell_what_a_table_needs(pipeline):
    assert {"action_error", "next_iou"} <= set(pipeline.records["world-model"]["result"]["probes"])
    assert pipeline.records["replay"]["result"]["summary"]["episodes"] == 1  # the one that was held out


def test_titles_tell_all_sources_and_names_begin_with_the_stem():
    hidden = DataRun("lift", "umi", 444, 100, Tracker(sees_gripper=False))
    model = WorldModelRun("glam-o", TARGET, (hidden,))
    assert model.title == "glam-o-lift-111+444-hidden-gripper-s0"
    assert model.stem == "glam-o-lift-hidden-gripper-s0"
    assert WorldModelRun("glam-o", TARGET, (AUXILIARY, TARGET)).title == "glam-o-lift-111+444+111-s0"
    replay = ReplayRun(model, AUXILIARY, "kinova-lab")
    assert replay.title == f"{model.title}-umi-to-kinova-lab"
    assert replay.name.startswith("glam-o-lift-hidden-gripper-s0-umi-to-kinova-lab-")
    assert SourceProbeRun(model, (TARGET, AUXILIARY)).stem == model.stem


def test_seed_sources_and_poses_are_part_of_the_name():
    models = [
        WorldModelRun("glam-o", TARGET, (AUXILIARY,)),
        WorldModelRun("glam-o", TARGET, (AUXILIARY,), 1),
        WorldModelRun("glam-o", TARGET, (AUXILIARY,), changes=(Change("model.forward_weight", 30.0),)),
        WorldModelRun("glam-o", TARGET, (AUXILIARY, TARGET)),
        WorldModelRun("glam-o", TARGET, (DataRun("lift", "umi", 444, 100, Tracker(20.0)),)),
        WorldModelRun("glam-o", DataRun("lift", "kinova-lab", 111, 0), (AUXILIARY,)),
    ]
    assert len({model.name for model in models}) == len(models)


def test_whatever_a_world_model_learnt_from_is_behind_what_it_transfers():
    model = WorldModelRun("glam-o", TARGET, (AUXILIARY,))
    learnt = (SourceSize("kinova", 100), SourceSize("umi", 400))
    assert model.learnt_from == ReplayRun(model, AUXILIARY).learnt_from == learnt
    assert SourceProbeRun(model, (TARGET, AUXILIARY)).learnt_from == learnt


def test_work_grows_with_steps_and_episodes():
    assert WorldModelRun("glam-o", TARGET, (AUXILIARY,)).size == 4000
    assert WorldModelRun("glam-o", TARGET, (AUXILIARY,), preset="smoke").size == 20
    assert ReplayRun(WorldModelRun("glam-o", TARGET, (AUXILIARY,)), AUXILIARY).size == AUXILIARY.size


def test_an_action_probe_needs_the_same_scenes_of_both_sources_and_nothing_else():
    probe = ActionProbeRun(TARGET, AUXILIARY)
    assert probe.needs == (TARGET, AUXILIARY)
    assert probe.name.startswith("lift-")


def test_a_changed_recipe_is_in_title_and_settings():
    run = WorldModelRun("glam-o", TARGET, (AUXILIARY,), changes=(Change("model.forward_weight", 30.0),))
    assert run.title == "glam-o-lift-111+444-s0, forward weight 30.0"
    assert run.settings.model.forward_weight == 30.0
