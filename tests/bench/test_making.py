from glam.bench.making import attempt, make
from glam.core.files import read_json


def test_a_note_tells_everything_of_a_node_that_is_done(toy, workshop):
    part = toy("part")
    node = toy("whole", (part,))
    make(node, workshop)
    note = read_json(workshop.note(node))
    assert (note["kind"], note["title"], note["name"]) == ("toy", "whole", node.name)
    assert note["needs"] == [part.name]
    assert note["result"]["words"] == ["whole", part.name]
    assert 0 <= note["seconds"] <= note["elapsed_seconds"] + 0.1
    assert {"glam-robot", "mujoco", "torch"} <= set(note["machine"]["versions"])


def test_the_reasons_of_a_failure_stand_in_the_log_and_there_is_no_note(toy, workshop):
    node = toy("broken", fate="fails")
    attempt(node, workshop)
    assert "a toy that breaks" in workshop.log(node).read_text()
    assert not workshop.is_done(node)
