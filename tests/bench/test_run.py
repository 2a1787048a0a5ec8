import pytest

from glam.bench.run import code_revision, ordered
from glam.core.errors import GlamError
from glam.core.seals import json_bytes, write_object


def test_shared_parts_come_once_and_before_what_needs_them(toy):
    shared = toy("shared")
    first, second = toy("first", (shared,)), toy("second", (shared, toy("own")))
    assert [run.title for run in ordered([first, second])] == ["shared", "first", "own", "second"]


def test_a_name_changes_with_the_settings_of_whatever_is_needed(toy):
    names = [toy("whole", (toy(part),)).name for part in ("one", "other")]
    assert names[0] != names[1]
    assert names[0] == toy("whole", (toy("one"),)).name
    assert names[0].startswith("whole-")


def test_a_run_is_done_when_its_run_record_is_there(toy, store):
    run = toy("a")
    store.folder(run).mkdir(parents=True)
    assert not store.is_done(run)
    write_object(store.run_record(run), {"seconds": 3.0})
    assert store.is_done(run)


def test_a_name_begins_with_the_stem_whatever_the_title(toy):
    class Renamed(toy):
        @property
        def title(self):
            return "a better title"

        @property
        def stem(self):
            return self.label

    assert Renamed("old").name == toy("old").name


def test_a_run_record_tells_everything_of_a_run_that_is_done(toy, store):
    part = toy("part")
    run = toy("whole", (part,))
    store.make(run)
    run_record = store.read(run)
    assert (run_record["kind"], run_record["title"], run_record["name"]) == ("toy", "whole", run.name)
    assert run_record["needs"] == [part.name]
    assert run_record["result"]["words"] == ["whole", part.name]
    assert 0 <= run_record["seconds"] <= run_record["elapsed_seconds"] + 0.1
    assert run_record["code"] == code_revision()
    assert {"glam-robot", "mujoco", "torch"} <= set(run_record["machine"]["versions"])


def test_a_run_record_that_has_changed_or_lost_its_checksum_is_refused(toy, store):
    run = toy("a")
    store.make(run)
    path, sound = store.run_record(run), store.read(run)
    path.write_text(path.read_text().replace('"a"', '"b"'))
    with pytest.raises(GlamError, match=r"damaged .*; restore it from a copy, or delete it and run the same command"):
        store.read(run)
    path.write_bytes(json_bytes(sound))
    with pytest.raises(GlamError, match="damaged"):
        store.read(run)


def test_the_reasons_of_a_failure_stand_in_the_log_and_there_is_no_run_record(toy, store):
    run = toy("broken", fate="fails")
    store.attempt(run)
    assert "a toy that breaks" in store.log(run).read_text()
    assert not store.is_done(run)
