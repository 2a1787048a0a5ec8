import re
from pathlib import Path

import glam.data.check.kinds as kinds

SOURCE = Path(kinds.__file__).parent
MADE = re.compile(r'(?:Finding|run\.finding)\(\s*"([a-z-]+)"|_at\(\s*run,\s*"([a-z-]+)"')


def test_every_finding_that_the_code_makes_has_a_kind_and_every_kind_is_made():
    made = {a or b for path in SOURCE.glob("*.py") for a, b in MADE.findall(path.read_text())}
    assert made == kinds.KINDS.keys()


def test_every_remedy_is_a_sentence_part_that_fits_after_a_semicolon():
    for kind in kinds.KINDS.values():
        assert kind.remedy[0].islower()
        assert not kind.remedy.endswith(".")
