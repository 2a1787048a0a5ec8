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

from glam.core import files
from glam.core.errors import GlamError
from glam.core.files import (
    TEMPORARY_SUFFIX,
    contained,
    exclusive,
    listed,
    read_bytes,
    read_json,
    replacing,
    replacing_folder,
    require_new_or_own,
    sha256,
    sweep,
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
FILL_A_FOLDER_AND_WAIT = """
import sys, time
from pathlib import Path
from glam.core.files import replacing_folder
with replacing_folder(Path(sys.argv[1])) as temporary:
    (temporary / "file").write_bytes(b"half")
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


def test_a_temporary_name_that_is_a_link_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".file.{os.getpid()}{TEMPORARY_SUFFIX}").symlink_to(victim)
    write_bytes(tmp_path / "file", b"content")
    assert victim.read_text() == "precious"
    assert not (tmp_path / "file").is_symlink()


def test_a_folder_of_a_killed_process_goes_with_the_next_and_one_in_use_stays(tmp_path):
    folder = tmp_path / "folder"
    killed = start_and_wait_until_ready(FILL_A_FOLDER_AND_WAIT, folder)
    alive = start_and_wait_until_ready(FILL_A_FOLDER_AND_WAIT, folder)
    kill(killed)
    with replacing_folder(folder) as temporary:
        beside = {path.name for path in tmp_path.iterdir()}
        assert beside == {temporary.name, f".folder.{alive.pid}{TEMPORARY_SUFFIX}"}
    kill(alive)


def test_sweeping_removes_what_is_ours_and_nothing_else(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/precious").touch()
    (tmp_path / "root/.draft.tmp").mkdir(parents=True)
    (tmp_path / "root/.notes.tmp").touch()
    (tmp_path / f"root/.file.12{TEMPORARY_SUFFIX}").touch()
    (tmp_path / f"root/.folder.12{TEMPORARY_SUFFIX}").mkdir()
    (tmp_path / f"root/.link.12{TEMPORARY_SUFFIX}").symlink_to(tmp_path / "elsewhere")
    sweep(tmp_path / "root")
    assert {path.name for path in (tmp_path / "root").iterdir()} == {".draft.tmp", ".notes.tmp"}
    assert (tmp_path / "elsewhere/precious").exists()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / f"elsewhere/.file.12{TEMPORARY_SUFFIX}").touch()
    sweep(tmp_path / "link")
    assert (tmp_path / f"elsewhere/.file.12{TEMPORARY_SUFFIX}").exists()


def test_sweeping_leaves_what_a_living_writer_holds(tmp_path):
    (tmp_path / f".left.12{TEMPORARY_SUFFIX}").touch()
    with replacing(tmp_path / "file") as temporary:
        sweep(tmp_path)
        assert list(tmp_path.iterdir()) == [temporary]
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_where_something_can_be_written_what_killed_writers_of_it_left_is_removed(tmp_path):
    (tmp_path / f".page.html.12{TEMPORARY_SUFFIX}").touch()
    (tmp_path / f".other.html.12{TEMPORARY_SUFFIX}").touch()
    files.require_writable(tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == [f".other.html.12{TEMPORARY_SUFFIX}"]


@pytest.mark.parametrize("name", ["data", "dead"])
def test_a_folder_with_a_link_is_somebody_elses(tmp_path, name):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / name).symlink_to(tmp_path / ("elsewhere" if name == "data" else "nowhere"))
    with pytest.raises(GlamError, match=f"holds {name}, which a test did not make"):
        require_new_or_own(tmp_path / "root", "own", ".lock", "a test")


def test_files_below_a_folder_are_listed_and_links_and_pipes_refused(tmp_path):
    (tmp_path / "data/a").mkdir(parents=True)
    (tmp_path / "data/a/b").touch()
    (tmp_path / "c").touch()
    assert sorted(listed(tmp_path)) == ["c", "data/a/b"]
    assert list(listed(tmp_path, ("data", "none"))) == ["data/a/b"]
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GlamError, match="pipe: is no plain file"):
        list(listed(tmp_path))
    (tmp_path / "data/a/link").symlink_to(tmp_path)
    with pytest.raises(GlamError, match="link: is a link"):
        list(listed(tmp_path, ("data",)))


@pytest.mark.parametrize("read", [read_bytes, read_json, sha256])
def test_what_never_ends_is_not_read(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(GlamError, match="is no plain file"):
            read(path)


def test_a_file_that_is_too_long_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "long").open("wb") as file:
        file.truncate(1 << 40)  # takes no room on the disk
    with pytest.raises(GlamError, match="has 1099511627776 bytes, more than"):
        read_json(tmp_path / "long")


BOMBS = {
    "depth": b"[" * 100_000 + b"]" * 100_000,
    "digits": b"[" + b"9" * 5000 + b"]",
    "an open string": b'{"a": "',
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_json_that_would_break_the_parser_is_one_sentence(tmp_path, bomb):
    (tmp_path / "bomb.json").write_bytes(BOMBS[bomb])
    with pytest.raises(GlamError, match=r"bomb\.json: not valid JSON \(.{5,100}\); restore the file from a copy$"):
        read_json(tmp_path / "bomb.json")


def test_json_of_too_many_values_is_refused_before_it_is_parsed(monkeypatch):
    monkeypatch.setattr(files, "MOST_VALUES", 100)
    monkeypatch.setattr(files.json, "loads", lambda text: pytest.fail("was parsed"))
    with pytest.raises(GlamError, match="holds more than 100 values"):
        files.parse_json(b"[" + b"1," * 100 + b"1]", "file")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "/etc/passwd",
        "a\x1b[2J",
        "a\ud800",
        "..",
        "../a",
        "a/../../b",
        "a//b",
        "./a",
        "a/",
        "a\\..\\b",
        "a\0b",
        "a/./b",
    ],
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
