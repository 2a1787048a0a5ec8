"""A whole pipeline as nodes, at the smallest scale."""

import pytest

from glam.bench.node import Workshop, ordered
from glam.bench.nodes import Data, Evaluation, Policy, Replay, WorldModel
from glam.bench.running import make
from glam.core.files import read_json
from glam.sim.tracker import Tracker


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The notes of all nodes by kind, the last of each."""
    target, auxiliary = Data("lift", "kinova", 3, 0), Data("lift", "umi", 3, 100)
    model = WorldModel("glam-o", target, (auxiliary,), scale="smoke")
    policy = Policy("latent", target, (auxiliary,), model, scale="smoke")
    cells = [Replay(model, auxiliary), Evaluation(policy, episodes=2)]
    workshop = Workshop(tmp_path_factory.mktemp("shop"))
    for node in ordered(cells):
        make(node, workshop)
    return {node.kind: read_json(workshop.note(node)) for node in ordered(cells)}


def test_every_kind_tells_what_a_table_needs(made):
    assert made["data"]["result"]["episodes"] == 3
    assert {"action_error", "next_iou"} <= set(made["world-model"]["result"]["probes"])
    assert made["replay"]["result"]["summary"]["episodes"] == 1  # the one that was held out
    assert made["policy"]["result"]["training_seconds"] > 0
    found = made["evaluation"]["result"]
    assert len(found["outcomes"]) == found["episodes"] == 2
    assert found["successes"] + sum(found["failed_stages"].values()) == 2


def test_notes_tell_how_a_node_was_made(made):
    note = made["policy"]
    assert note["node"]["world_model"]["method"] == "glam-o"
    assert note["machine"]["versions"]["torch"]
    assert note["seconds"] > 0


def test_titles_tell_what_a_reader_must_know():
    wrong = Data("lift", "umi", 3, 100, Tracker(20.0, 5.0))
    hidden = Data("lift", "umi", 3, 100, Tracker(sees_gripper=False))
    target = Data("lift", "kinova", 3, 0)
    assert wrong.title == "lift-umi-3-from-100-20mm-5deg"
    assert WorldModel("glam-o", target, (hidden,)).title == "glam-o-lift-hidden-gripper-s0"
    assert Policy("mip", target).title == "mip-lift-3-s0"


def test_seed_and_tracker_are_part_of_the_name():
    target, auxiliary = Data("lift", "kinova", 3, 0), Data("lift", "umi", 3, 100)
    names = {WorldModel("glam-o", target, (auxiliary,), seed).name for seed in (0, 1)}
    names |= {WorldModel("glam-o", target, (Data("lift", "umi", 3, 100, Tracker(20.0)),)).name}
    assert len(names) == 3
