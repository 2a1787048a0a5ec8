"""Needs Ray: `make test-ray` runs this file in an environment that has it."""

import os
import time
from pathlib import Path

import pytest
from tests.clusters import two_machines

from glam.bench.grids import find_grid
from glam.bench.on_ray import RayEngine
from glam.bench.run import ordered
from glam.bench.running import local_engine, run_all
from glam.core.errors import GlamError
from glam.core.on_ray import ray

HAS_RAY = ray is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")


@pytest.mark.skipif(HAS_RAY, reason="Ray is installed")
def test_without_ray_the_way_to_install_it_is_named():
    with pytest.raises(GlamError, match=r"pip install 'glam-robot\[cluster\]'"):
        RayEngine(2)


@needs_ray
def test_without_a_cluster_the_way_to_start_one_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # where clusters of this machine are looked for
    with pytest.raises(GlamError, match="ray start --head"):
        RayEngine(2)


@pytest.fixture(scope="module")
def cluster():
    with two_machines() as running:
        yield running


@pytest.fixture
def engine(cluster, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    yield RayEngine(8)
    ray.shutdown()


def attempts(store, run):
    return (store.folder(run) / "made").read_text().splitlines()


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


def told(store, run):
    """What a run record says that does not depend on the moment."""
    run_record = store.read(run)
    return {key: value for key, value in run_record.items() if key not in {"seconds", "load_average", "machine"}}


@needs_ray
def test_records_are_those_of_local_processes(toy, store, tmp_path, engine):
    shared = toy("shared")
    runs = [shared, toy("first", (shared,)), toy("second", (shared,))]
    run_all(runs, store, engine, lambda state: None)
    other = type(store)(tmp_path / "local")
    run_all(runs, other, local_engine(1), lambda state: None)
    assert [told(store, run) for run in runs] == [told(other, run) for run in runs]
    assert {attempts(store, run)[0] for run in runs}.isdisjoint({str(os.getpid())})


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if "seconds" not in key}
    return value


@needs_ray
def test_a_whole_pipeline_comes_out_the_same(store, tmp_path, engine):
    runs = ordered([cell.run for cell in find_grid("smoke") if cell.seed == 0])
    run_all(runs, store, engine, lambda state: None)
    other = type(store)(tmp_path / "local")
    run_all(runs, other, local_engine(1), lambda state: None)
    for run in runs:
        assert without_times(told(store, run)) == without_times(told(other, run)), run.title


@needs_ray
def test_there_are_as_many_slots_as_the_cluster_has_cores(engine):
    assert engine.slots == 2
    assert RayEngine(1).slots == 1


@needs_ray
def test_a_run_whose_worker_is_killed_is_made_again(toy, store, engine):
    run = toy("hit", fate="dies-once")
    run_all([toy("above", (run,))], store, engine, lambda state: None)
    assert len(attempts(store, run)) == 2
    assert store.is_done(toy("above", (run,)))


@needs_ray
def test_a_failure_is_named_and_takes_along_only_what_needs_it(toy, store, engine):
    broken, beside = toy("broken", fate="fails"), toy("beside")
    with pytest.raises(GlamError, match="2 runs failed"):
        run_all([toy("above", (broken,)), beside], store, engine, lambda state: None)
    assert "a toy that breaks" in store.log(broken).read_text()
    assert store.is_done(beside)
    assert len(attempts(store, broken)) == 1


@needs_ray
def test_runs_of_a_machine_that_is_gone_are_made_elsewhere(toy, store, cluster, engine):
    """The last test of this cluster: one of its machines does not come back."""
    runs = [toy(label, fate="waits") for label in "ab"]
    other = cluster.add_node(num_cpus=1)

    def take_away(state):
        if len(state.running) == 2 and not taken:
            until(lambda: all((store.folder(run) / "made").exists() for run in runs))
            first = [attempts(store, run)[0] for run in runs]
            for machine in [*cluster.worker_nodes]:
                cluster.remove_node(machine, allow_graceful=False)
                taken.append(machine)
            # A worker outlives its machine for a moment, in which it could still finish. The head has one core, so
            # one of the two ran elsewhere.
            until(lambda: not all(map(lives, first)))
            (store.root / "toy" / "go").touch()

    taken = []
    run_all(runs, store, engine, take_away)
    assert other in taken
    assert all(map(store.is_done, runs))
    assert sum(len(attempts(store, run)) for run in runs) >= 3
