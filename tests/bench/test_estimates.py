import pytest

from glam.bench.estimates import Estimates
from glam.core.files import write_json


def measured(workshop, node, seconds):
    write_json(workshop.note(node), {"seconds": seconds})


def test_before_anything_is_measured_a_node_takes_what_its_kind_says(toy, workshop):
    assert Estimates.of([toy("a")], workshop).seconds(toy("a")) == 1.0
    assert Estimates.of([toy("a", amount=4)], workshop).seconds(toy("a", amount=4)) == 4.0


def test_later_it_takes_what_others_of_its_kind_took_for_its_size(toy, workshop):
    nodes = [toy("a"), toy("b", amount=2), toy("c", amount=10), toy("d", amount=3)]
    for node, seconds in zip(nodes, (10.0, 40.0, 3000.0), strict=False):
        measured(workshop, node, seconds)
    found = Estimates.of(nodes, workshop)
    assert found.seconds(nodes[1]) == 40.0
    assert found.seconds(nodes[3]) == pytest.approx(60.0)  # by the median of 10, 20 and 300


def test_hours_are_those_of_all_nodes_over_the_slots(toy, workshop):
    nodes = [toy("a"), toy("b")]
    measured(workshop, nodes[0], 3600.0)
    found = Estimates.of(nodes, workshop)
    assert found.hours(nodes, 2) == pytest.approx(1.0)
    assert found.hours(nodes, 1) == pytest.approx(2.0)
