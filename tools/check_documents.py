"""Fail when a document names a command, an option, a make target, a program or a file that does not exist.

Read are the fenced `sh` blocks, the commands in inline code and the relative links of README.md, CONTRIBUTING.md and
docs/. A command of glam is tried with `--help`, and each option of the line must occur in what that prints; the options
of our own programs must occur in their source.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

BLOCK = re.compile(r"^ *```(?:sh|bash|console)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)  # also within a list
FENCED = re.compile(r"^ *(```+|~~~+).*?^ *\1", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:glam|make|python)\s[^`]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
SUBCOMMANDS = re.compile(r"usage: .*\{([a-z,-]+)\}\n")


def main() -> None:
    root = Path.cwd()
    documents = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
    findings = [
        f"{document.relative_to(root)}: {finding}" for document in documents for finding in findings_in(document, root)
    ]
    print("\n".join(findings) or "commands and links of the documents: ok")
    sys.exit(1 if findings else 0)


def findings_in(document: Path, root: Path) -> Iterator[str]:
    text = document.read_text(encoding="utf-8")
    for link in LINK.findall(text):
        if "://" not in link and not link.startswith("mailto:") and not (document.parent / link).exists():
            yield f"the link {link} leads nowhere"
    for line in [*command_lines(text), *inline_commands(text)]:
        words = shlex.split(line, comments=True)
        if words[:1] == ["make"]:
            yield from make_findings(words, root)
        if words[:1] == ["glam"]:
            yield from glam_findings(words)
        if words[:1] == ["python"]:
            yield from program_findings(words[1:], root)


def command_lines(text: str) -> list[str]:
    blocks = "\n".join(BLOCK.findall(text)).replace("\\\n", " ")
    return [line.strip().removeprefix("$ ") for line in blocks.splitlines()]


def inline_commands(text: str) -> list[str]:
    """Commands in the running text, which may be broken across lines."""
    return [" ".join(found.split()) for found in INLINE.findall(FENCED.sub("", text))]


def make_findings(words: list[str], root: Path) -> Iterator[str]:
    targets = set(TARGET.findall((root / "Makefile").read_text(encoding="utf-8")))
    for word in words[1:]:
        if "=" not in word and not word.startswith("-") and word not in targets:
            yield f"make has no target {word}"


def glam_findings(words: list[str]) -> Iterator[str]:
    command: list[str] = []
    for word in words[1:]:
        choices = subcommands(help_text(tuple(command)))
        if not choices or word.isupper():
            break  # what follows are arguments, or a placeholder such as COMMAND
        command.append(word)
        if word not in choices:
            yield f"there is no command glam {' '.join(command)}"
            return
    text = help_text(tuple(command))
    for word in words:
        option = word.partition("=")[0]
        if option.startswith("--") and not re.search(rf"{re.escape(option)}(?![\w-])", text):
            yield f"glam {' '.join(command)} has no option {option}"


def program_findings(words: list[str], root: Path) -> Iterator[str]:
    name = words[1].replace(".", "/") + ".py" if words[0] == "-m" else words[0]
    program = root / name
    if not name.startswith(("benchmarks/", "examples/", "tools/")):
        return
    if not program.exists():
        yield f"there is no program {name}"
        return
    source = program.read_text(encoding="utf-8")
    for option in (word.partition("=")[0] for word in words):
        if option.startswith("--") and option != "--help" and f'"{option}"' not in source:
            yield f"{name} has no option {option}"


def subcommands(text: str) -> list[str]:
    """The commands that a line such as `usage: glam data [-h] {check,view}` offers."""
    offered = SUBCOMMANDS.match(text)
    return offered.group(1).split(",") if offered else []


@cache
def help_text(command: tuple[str, ...]) -> str:
    """What `glam COMMAND --help` prints; only for commands that exist: others get their parent's help."""
    line = [sys.executable, "-m", "glam", *command, "--help"]
    wide = {**os.environ, "COLUMNS": "400"}  # an option must not be broken across lines
    return subprocess.run(line, env=wide, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
