"""A file under its final name is complete, whatever happens while it is written; a lock dies with its holder."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glam.core.errors import GlamError
from glam.core.files import (
    TEMPORARY_SUFFIX,
    contained,
    exclusive,
    read_json,
    replacing,
    replacing_folder,
    sha256,
    write_bytes,
    write_json,
)

WRITE_HALF_AND_WAIT = """
import sys, time
from pathlib import Path
from glam.core.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_bytes(b"half")
    print("ready", flush=True)
    time.sleep(60)
"""
HOLD_THE_LOCK = """
import sys, time
from pathlib import Path
from glam.core.files import exclusive
with exclusive(Path(sys.argv[1]), "busy"):
    print("ready", flush=True)
    time.sleep(60)
"""


def start_and_wait_until_ready(program: str, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_a_written_file_holds_the_content_and_leaves_nothing_beside_it(tmp_path):
    write_bytes(tmp_path / "new folder" / "file", b"content")
    assert (tmp_path / "new folder" / "file").read_bytes() == b"content"
    assert [path.name for path in (tmp_path / "new folder").iterdir()] == ["file"]


def test_the_old_content_stays_until_the_new_is_complete(tmp_path):
    path = tmp_path / "file"
    write_bytes(path, b"old")
    with replacing(path) as temporary:
        temporary.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_a_failed_write_changes_nothing(tmp_path):
    path = tmp_path / "file"
    write_bytes(path, b"old")

    def write_half_and_fail() -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half_and_fail()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_appears_complete_in_the_place_of_an_empty_one_or_none(tmp_path, is_there):
    folder = tmp_path / "folder"
    if is_there:
        folder.mkdir()
    with replacing_folder(folder) as temporary:
        write_bytes(temporary / "file", b"content")
        assert not folder.exists() or not list(folder.iterdir())
    assert (folder / "file").read_bytes() == b"content"
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_a_folder_that_was_not_completed_leaves_nothing(tmp_path):
    def write_half_and_fail() -> None:
        with replacing_folder(tmp_path / "folder") as temporary:
            write_bytes(temporary / "file", b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half_and_fail()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_writer_leaves_the_old_file_and_recognisable_rubbish(tmp_path):
    path = tmp_path / "file"
    write_bytes(path, b"old")
    kill(start_and_wait_until_ready(WRITE_HALF_AND_WAIT, path))
    assert path.read_bytes() == b"old"
    (rubbish,) = (entry for entry in tmp_path.iterdir() if entry != path)
    assert rubbish.name.endswith(TEMPORARY_SUFFIX)
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"


def test_the_content_is_on_disk_before_the_name(tmp_path, monkeypatch):
    order = []
    sync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: order.append("sync") or sync(descriptor))
    monkeypatch.setattr(Path, "replace", lambda self, target: order.append("rename") or rename(self, target))
    write_bytes(tmp_path / "file", b"content")
    assert order == ["sync", "rename", "sync"], "first the content, then the name, then the folder that holds the name"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=30)  # each is synced to disk
@given(value=json_values)
def test_json_is_read_as_it_was_written(value, tmp_path_factory):
    path = tmp_path_factory.mktemp("json") / "value.json"
    write_json(path, value)
    assert read_json(path) == value


def test_equal_values_are_equal_files(tmp_path):
    write_json(tmp_path / "one", {"a": 1, "b": [2]})
    write_json(tmp_path / "other", {"b": [2], "a": 1})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_what_is_not_a_number_is_never_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "file", float("nan"))
    assert not (tmp_path / "file").exists()


def test_a_missing_json_file_is_named(tmp_path):
    with pytest.raises(GlamError, match=r"absent\.json: no such file"):
        read_json(tmp_path / "absent.json")


@pytest.mark.parametrize("content", [b'{"a": ', b"\xff\xfe\x00"])
def test_a_damaged_json_file_is_named(tmp_path, content):
    (tmp_path / "damaged.json").write_bytes(content)
    with pytest.raises(GlamError, match=r"damaged\.json: not valid JSON"):
        read_json(tmp_path / "damaged.json")


def test_sha256_is_that_of_the_content(tmp_path):
    (tmp_path / "file").write_bytes(b"content" * 100_000)
    assert sha256(tmp_path / "file") == hashlib.sha256(b"content" * 100_000).hexdigest()


def test_a_lock_keeps_another_process_out_and_a_kill_frees_it(tmp_path):
    lock = tmp_path / "new folder" / "lock"
    holder = start_and_wait_until_ready(HOLD_THE_LOCK, lock)
    with pytest.raises(GlamError, match="somebody else is writing"), exclusive(lock, "somebody else is writing"):
        pass
    kill(holder)
    with exclusive(lock, "somebody else is writing"):
        pass


def test_a_lock_is_free_again_after_use_and_after_an_error(tmp_path):
    lock = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), exclusive(lock, "busy"):
        raise ZeroDivisionError
    with exclusive(lock, "busy"), pytest.raises(GlamError, match="busy"), exclusive(lock, "busy"):
        pass
    with exclusive(lock, "busy"):
        pass


def test_a_busy_lock_is_reported_at_once(tmp_path):
    lock = tmp_path / "lock"
    with exclusive(lock, "busy"):
        start = time.monotonic()
        with pytest.raises(GlamError), exclusive(lock, "busy"):
            pass
        assert time.monotonic() - start < 30.0  # and does not wait for the other, who never ends


def test_a_lock_that_is_a_link_is_refused_and_what_it_leads_to_stays(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / ".lock").symlink_to(victim)
    with pytest.raises(GlamError, match="is a link"), exclusive(tmp_path / ".lock", "busy"):
        pass
    assert victim.read_text() == "precious"


def test_a_lock_is_never_emptied(tmp_path):
    (tmp_path / ".lock").write_text("whatever lay there")
    with exclusive(tmp_path / ".lock", "busy"):
        assert (tmp_path / ".lock").read_text() == "whatever lay there"


@pytest.mark.parametrize("name", ["data/a.parquet", "a", "a b/c..d"])
def test_names_inside_a_folder_are_found(tmp_path, name):
    assert contained(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    "name", ["", "/etc/passwd", "..", "../a", "a/../../b", "a//b", "./a", "a/", "a\\..\\b", "a\0b", "a/./b"]
)
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(GlamError, match="not inside this folder"):
        contained(tmp_path, name)


def test_links_on_the_way_are_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root/data").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GlamError, match="is a link"):
        contained(tmp_path / "root", "data/a.parquet")
