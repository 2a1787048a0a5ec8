"""Damaged files are a clear error or a correct read. `make torture` tries many more."""

import pytest
from tests.interop.imports.damage.to_bytes import BYTES
from tests.interop.imports.mutations import KINDS, mutated, outcome, read_all

# One of each kind of damage: numbers 0 to 49 hold all of them, see `mutated`.
NUMBERS = [*range(0, 5 * len(BYTES), 5), *range(3, 5 * 10, 5)]


@pytest.mark.parametrize("name", KINDS)
def test_damage_is_a_clear_error_or_a_correct_read(reader, tmp_path, name):
    kind = KINDS[name]
    sound = kind.make(tmp_path)
    episodes = read_all(reader, sound, name)
    verdicts = {}
    for number in NUMBERS:
        folder = tmp_path / str(number)
        folder.mkdir()
        verdicts[number] = outcome(reader, kind, mutated(kind, sound, folder, number), episodes)
    assert {number: found for number, found in verdicts.items() if found.verdict == "WRONG"} == {}
    assert sum(found.verdict == "error" for found in verdicts.values()) >= len(NUMBERS) // 2
