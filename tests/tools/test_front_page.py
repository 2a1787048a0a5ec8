"""The README is short, its commands work in the order in which they are printed, and its film is small."""

import re
import shlex
from pathlib import Path

from check_documents import command_lines

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line, comments=True) for line in command_lines(README) if line.startswith("glam ")]
INPUTS = {"--target", "--aux", "--world-model", "--policy"}


def given(words, flags):
    """Values of flags; one flag may have several."""
    values, is_wanted = [], False
    for word in words:
        if word.startswith("--"):
            is_wanted = word in flags
        elif is_wanted:
            values.append(word)
    return values


def test_it_has_at_most_150_lines():
    assert len(README.splitlines()) <= 150


def test_no_two_commands_write_to_the_same_place():
    made = [place for words in COMMANDS for place in given(words, {"--out"})]
    assert len(made) >= 8
    assert len(made) == len(set(made))


def test_every_input_is_made_by_a_command_above():
    made = set()
    for words in COMMANDS:
        assert set(given(words, INPUTS)) <= made, f"{shlex.join(words)}: nothing above makes its inputs"
        made |= set(given(words, {"--out"}))


def test_the_quick_start_goes_from_demonstrations_to_a_server():
    steps = [words[1] for words in COMMANDS]
    order = ["collect", "data", "train-world-model", "train-policy", "evaluate", "report", "serve"]
    assert list(dict.fromkeys(steps))[: len(order)] == order


def test_the_film_and_the_images_exist_and_are_small():
    images = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(images) == 3
    assert all((ROOT / name).stat().st_size < 3_000_000 for name in images)
