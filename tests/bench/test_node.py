from glam.bench.node import ordered
from glam.core.files import write_json


def test_shared_parts_come_once_and_before_what_needs_them(toy):
    shared = toy("shared")
    first, second = toy("first", (shared,)), toy("second", (shared, toy("own")))
    assert [node.title for node in ordered([first, second])] == ["shared", "first", "own", "second"]


def test_a_name_changes_with_the_settings_of_whatever_is_needed(toy):
    names = [toy("whole", (toy(part),)).name for part in ("one", "other")]
    assert names[0] != names[1]
    assert names[0] == toy("whole", (toy("one"),)).name
    assert names[0].startswith("whole-")


def test_a_node_is_done_when_its_note_is_there(toy, workshop):
    node = toy("a")
    workshop.place(node).mkdir(parents=True)
    assert not workshop.is_done(node)
    write_json(workshop.note(node), {"seconds": 3.0})
    assert workshop.is_done(node)


def test_a_name_begins_with_the_stem_whatever_the_title(toy):
    class Renamed(toy):
        @property
        def title(self):
            return "a better title"

        @property
        def stem(self):
            return self.label

    assert Renamed("old").name == toy("old").name
