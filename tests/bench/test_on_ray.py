"""Needs Ray: `make test-ray` runs this file in an environment that has it."""

import os
import time
from pathlib import Path

import pytest

from glam.bench.engines import local
from glam.bench.grids import find_grid
from glam.bench.node import ordered
from glam.bench.on_ray import RayEngine
from glam.bench.running import run
from glam.core.errors import GlamError
from glam.core.files import read_json

try:
    import ray
    from ray.cluster_utils import Cluster
except ImportError:
    ray = None
HAS_RAY = ray is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray_the_way_to_install_it_is_told():
    with pytest.raises(GlamError, match=r"pip install 'glam-robot\[cluster\]'"):
        RayEngine(2)


@needs_ray
def test_without_a_cluster_the_way_to_start_one_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # where clusters of this machine are looked for
    with pytest.raises(GlamError, match="ray start --head"):
        RayEngine(2)


@pytest.fixture(scope="module")
def cluster():
    """Two machines of one core each, as far as Ray can tell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
        running = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        running.add_node(num_cpus=1)
        yield running
        running.shutdown()


@pytest.fixture
def engine(cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield RayEngine(8)
    ray.shutdown()


def attempts(workshop, node):
    return (workshop.place(node) / "made").read_text().splitlines()


def lives(pid):
    """Whether a process of this machine still runs; one that has ended may wait to be asked how."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def until(is_so):
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def told(workshop, node):
    """What a note says that does not depend on the moment."""
    note = read_json(workshop.note(node))
    return {key: value for key, value in note.items() if key not in {"seconds", "load_average", "machine"}}


@needs_ray
def test_records_are_those_of_local_processes(toy, workshop, tmp_path, engine):
    shared = toy("shared")
    nodes = [shared, toy("first", (shared,)), toy("second", (shared,))]
    run(nodes, workshop, engine, lambda state: None)
    other = type(workshop)(tmp_path / "local")
    run(nodes, other, local(1), lambda state: None)
    assert [told(workshop, node) for node in nodes] == [told(other, node) for node in nodes]
    assert {attempts(workshop, node)[0] for node in nodes}.isdisjoint({str(os.getpid())})


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if "seconds" not in key}
    return value


@needs_ray
def test_a_whole_pipeline_comes_out_the_same(workshop, tmp_path, engine):
    nodes = ordered([cell.node for cell in find_grid("smoke") if cell.seed == 0])
    run(nodes, workshop, engine, lambda state: None)
    other = type(workshop)(tmp_path / "local")
    run(nodes, other, local(1), lambda state: None)
    for node in nodes:
        assert without_times(told(workshop, node)) == without_times(told(other, node)), node.title


@needs_ray
def test_there_are_as_many_slots_as_the_cluster_has_cores(engine):
    assert engine.slots == 2
    assert RayEngine(1).slots == 1


@needs_ray
def test_a_node_whose_worker_is_killed_is_made_again(toy, workshop, engine):
    node = toy("hit", fate="dies-once")
    run([toy("above", (node,))], workshop, engine, lambda state: None)
    assert len(attempts(workshop, node)) == 2
    assert workshop.is_done(toy("above", (node,)))


@needs_ray
def test_a_failure_is_told_and_takes_along_only_what_needs_it(toy, workshop, engine):
    broken, beside = toy("broken", fate="fails"), toy("beside")
    with pytest.raises(GlamError, match="2 runs failed"):
        run([toy("above", (broken,)), beside], workshop, engine, lambda state: None)
    assert "a toy that breaks" in workshop.log(broken).read_text()
    assert workshop.is_done(beside)
    assert len(attempts(workshop, broken)) == 1


@needs_ray
def test_nodes_of_a_machine_that_is_gone_are_made_elsewhere(toy, workshop, cluster, engine):
    """The last test of this cluster: one of its machines does not come back."""
    nodes = [toy(label, fate="waits") for label in "ab"]
    other = cluster.add_node(num_cpus=1)

    def take_away(state):
        if len(state.running) == 2 and not taken:
            until(lambda: all((workshop.place(node) / "made").exists() for node in nodes))
            first = [attempts(workshop, node)[0] for node in nodes]
            for machine in [*cluster.worker_nodes]:
                cluster.remove_node(machine, allow_graceful=False)
                taken.append(machine)
            # A worker outlives its machine for a moment, in which it could still finish. The head has one core, so
            # one of the two ran elsewhere.
            until(lambda: not all(map(lives, first)))
            (workshop.root / "toy" / "go").touch()

    taken = []
    run(nodes, workshop, engine, take_away)
    assert other in taken
    assert all(map(workshop.is_done, nodes))
    assert sum(len(attempts(workshop, node)) for node in nodes) >= 3
