"""Documents as their readers follow them: blocks of code, and commands as they are typed."""

import re
import shlex
import textwrap
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def page(name: str) -> str:
    """The text of a document."""
    return (DOCS / name).read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """From a heading of the second level to the next one."""
    _, _, found = text.partition(f"\n## {title}\n")
    assert found, title
    return found.partition("\n## ")[0]


def blocks(text: str, language: str) -> list[str]:
    """Fenced blocks of a language, also those in lists."""
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(content) for content in found]


def commands(text: str) -> list[list[str]]:
    """The words of every command in blocks of `sh`."""
    return [words for block in blocks(text, "sh") for words in typed(block)]


def typed(block: str) -> list[list[str]]:
    """The words of every command in one block."""
    lines = block.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]
