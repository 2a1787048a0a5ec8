import subprocess
import sys
from pathlib import Path

import pytest

from check_words import docstring_findings, findings_in, line_findings

TOOL = Path(__file__).parents[2] / "tools" / "check_words.py"


@pytest.mark.parametrize(
    ("line", "usual"),
    [
        ("the eyes of a policy", "encoder"),
        ("def test_the_eyes_of_a_policy() -> None:", "encoder"),
        ("class JointEyes:", "encoder"),
        ("def teach(self):", "loss"),
        ("task.horizon", "chunk_size"),
        ("glam train-policy mip --scale smoke", "preset"),
        ("watch the pictures", "image"),
        ("states.later().x", "next()"),
        ("decode(progress=unseen)", "no_progress"),
        ("pip install 'glam[serve]'", "glam-robot"),
        ("from now on Workshop.place", "run store"),
        ("replays of unseen episodes", "held-out"),
        ("success in unseen configurations", "scene"),
        ("relabel writes a labelled copy", "relabelled"),
        ("def read(self, rows: FrameIndices)", "frame indices"),
        ("glam data check --target A --aux B --aux C", "--aux A B"),
        ("class Arms(Protocol):", "variant"),
        ("the task's sentence", "instruction"),
    ],
)
def test_words_of_our_own_are_found_with_the_usual_one(line: str, usual: str) -> None:
    (found,) = line_findings(line)
    assert usual in found


@pytest.mark.parametrize(
    "line",
    [
        "np.eye(3), a horizontal line, receding horizon",
        "in unseen scenes, some MB of memory, labelled demonstrations, rows of a table",
        "pip install 'glam-robot[serve]'",
        "the learning rate scales with the batch size",
    ],
)
def test_usual_words_pass(line: str) -> None:
    assert list(line_findings(line)) == []


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    source = '"""What it is."""\ndef f():\n    """Return it."""\nclass A:\n    """Whether it is."""\n'
    assert [line for line, _ in docstring_findings(source)] == [1, 4]


def test_a_line_may_name_an_old_word_on_purpose(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('OLD = "--eyes"  # old word\nNEW = "--eyes"\n')
    assert [line for line, _ in findings_in(tmp_path / "a.py")] == [2]


def test_the_tool_fails_on_a_tree_with_such_words(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "page.md").write_text("Pictures.\n")
    done = subprocess.run([sys.executable, TOOL], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "page.md:1: 'Pictures': the usual word is image\n")
