import fcntl
import os

import pytest

from glam.core.errors import GlamError
from glam.data import journal, layout
from glam.data.journal import JournalRecord
from glam.data.recording import recording, save_episode


@pytest.fixture
def begun(tiny, tmp_path):
    journal.begin(tmp_path, tiny.TARGET, tiny.DESCRIPTION)
    return tmp_path


RECORD = JournalRecord(4, "Lift.", {"meta/journal/episode-000012.parquet": "0" * 64}, {}, {"seed": 3})


def test_a_record_acknowledges_its_episode_and_comes_back(begun):
    journal.write(begun, 12, RECORD)
    assert journal.acknowledged(begun) == {12}
    assert journal.read(begun, 12) == RECORD


def test_half_written_records_acknowledge_nothing(begun):
    (begun / layout.JOURNAL).mkdir()
    for name in (".episode-000001.json.5.tmp", "episode-000002.parquet", "episode-x.json"):
        (begun / layout.JOURNAL / name).write_bytes(b"{")
    assert journal.acknowledged(begun) == frozenset()


def test_a_damaged_record_is_an_error_that_says_what_to_do(begun):
    journal.write(begun, 12, RECORD)
    (begun / layout.journal_record(12)).write_text('{"length": 3}')
    with pytest.raises(GlamError, match=r"episode-000012\.json: damaged; delete it"):
        journal.read(begun, 12)


def test_published_episodes_are_acknowledged_without_a_record(target_set):
    assert journal.published(target_set) == 5
    assert journal.acknowledged(target_set) == set(range(5))


def can_lock(root, mode):
    with (root / layout.RECORDING).open("r+") as file:
        try:
            fcntl.flock(file, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_many_may_save_at_once_but_clearing_waits_for_all_of_them(begun):
    with journal.saving(begun), journal.saving(begun):
        assert can_lock(begun, fcntl.LOCK_SH)
        assert not can_lock(begun, fcntl.LOCK_EX)
    with journal.quiet(begun):
        assert not can_lock(begun, fcntl.LOCK_SH)
    assert can_lock(begun, fcntl.LOCK_EX)


def test_sweeping_leaves_files_that_are_not_ours(begun, tiny):
    (begun / "notes.tmp").write_text("mine")
    (begun / "data").mkdir()
    (begun / "data" / "notes.parquet").write_text("mine")
    journal.sweep(begun, tiny.TARGET)
    assert (begun / "notes.tmp").exists()
    assert (begun / "data" / "notes.parquet").exists()


def test_clearing_removes_the_journal_alone(begun):
    journal.write(begun, 12, RECORD)
    journal.clear(begun)
    journal.clear(begun)
    assert os.listdir(begun / "meta") == ["recording.json"]


def test_one_episode_is_looked_up_without_listing_all(tiny, tmp_path, monkeypatch):
    """A recording of ten thousand episodes would list the journal ten thousand times."""
    root = tmp_path / "set"
    tiny.record(root, 2)
    for count in (2, 4):  # the second time it has grown, after the manifest had been read
        found = [journal.is_acknowledged(root, index) for index in range(6)]
        assert found == [index < count for index in range(6)]
        tiny.record(root, count + 2)
    with recording(root, tiny.TARGET, tiny.DESCRIPTION):
        monkeypatch.setattr(journal, "acknowledged", lambda root: pytest.fail("lists the whole journal"))
        save_episode(root, tiny.TARGET, 6, tiny.episode(6), {})
        assert journal.is_acknowledged(root, 6)
        assert not journal.is_acknowledged(root, 7)
