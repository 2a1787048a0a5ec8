import os

import pytest

from glam.bench.engines import local
from glam.core.errors import GlamError


def test_one_worker_is_this_process(toy, workshop):
    engine = local(1)
    engine.start(toy("a"), workshop)
    assert engine.ended() == [toy("a")]
    assert int((workshop.place(toy("a")) / "made").read_text()) == os.getpid()


def test_several_workers_are_processes_of_their_own(toy, workshop):
    workshop.logs.mkdir(parents=True)
    engine = local(2)
    assert engine.slots == 2
    for label in "ab":
        engine.start(toy(label), workshop)
    over = []
    while len(over) < 2:
        over += engine.ended()
    assert {node.title for node in over} == {"a", "b"}
    makers = {int((workshop.place(toy(label)) / "made").read_text()) for label in "ab"}
    assert len(makers) == 2
    assert os.getpid() not in makers


def test_no_workers_are_refused():
    with pytest.raises(GlamError, match="--workers 0"):
        local(0)
