"""Place of each file of the repository on the documentation site, and links between documents rewritten to match.

Documents link to one another and to source files as they lie in the repository, so that these links work there too. On
the site what is in `docs` keeps its place; other documents become pages, and source files and folders that a document
links to become pages that show them. Standard library only.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = "examples/method.py"
FILMS = "docs/results/films"
PAGES = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks": "benchmarks.md",
    NOTEBOOK: "method/notebook.md",
    FILMS: "films.md",
}
"""Files and folders that are no Markdown below `docs` and have a page of their own all the same."""


def guides(docs: Path) -> dict[str, str]:
    """The guides `docs/add_*.md` by their headings: a new guide needs no entry below."""
    pages = sorted(docs.glob("add_*.md"))
    return {page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "): page.name for page in pages}


NAVIGATION = {
    "Start": {"Install and try it": "start.md", "Tasks and embodiments": "worlds.md"},
    "Your data, your robot": {
        "Bring your own data": "bring_your_own_data.md",
        "Which data do you have?": "regimes.md",
        "Masks": "masks.md",
        "Fingertip tracks": "tracks.md",
        "Run a policy on a robot": "deploy.md",
        "What you can rely on": "reliability.md",
        "A robot that GLAM does not know": "fetch.md",
        "Meta-World, with masks": "metaworld.md",
        "Large datasets": "scale.md",
    },
    "Method": {
        "How does GLAM work?": "method/notebook.md",
        "Stage 1: latent actions": "method/glam.md",
        "Stage 2: policies": "method/policies.md",
        "Deviations from the paper": "deviations.md",
        "Glossary": "glossary.md",
    },
    "Results": {
        "What we found": "results.md",
        "Tables": "tables.md",
        "Goals": "goals.md",
        "Films": "films.md",
        "Benchmarks": "benchmarks.md",
    },
    "Extend": guides(ROOT / "docs") | {"Use another trainer": "other_trainers.md", "Contributing": "contributing.md"},
    "Reference": {"Python interface": "api.md", "Changelog": "changelog.md"},
}
"""Every page but the first, by the part of the navigation that lists it."""
_LISTED = {".json", ".md", ".py", ".sh"}
NBSP = "\N{NO-BREAK SPACE}"
_SHORT_CELL = 16
_INTERVAL = re.compile(r"\[[^\]\s]+, [^\]\s]+\]|\d (?:%|mm|px)")
_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(?=[)#\s])")


def place(path: str) -> str:
    """The page or file of the site that shows a file or folder of the repository, below the site's root."""
    if path in PAGES:
        return PAGES[path]
    if (ROOT / path).is_dir():
        return f"source/{path}/index.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else f"source/{path}.md"


def rewritten(text: str, document: str) -> str:
    """The text of a document of the repository with its links as the site needs them; what leads nowhere stays."""
    here = str(PurePosixPath(place(document)).parent)

    def link(found: re.Match[str]) -> str:
        path = _target(found.group(), document)
        return relpath(place(path), here) if path else found.group()

    return _LINK.sub(link, text)


def unbroken(text: str) -> str:
    """The text with short table cells and intervals in one piece: a table that is then too wide scrolls."""
    lines = text.split("\n")
    below = [*lines[1:], ""]
    return "\n".join(
        _row(line) if line.startswith("| ") and not rule.startswith(("|-", "| -")) else line
        for line, rule in zip(lines, below, strict=True)
    )


def _row(line: str) -> str:
    return _INTERVAL.sub(lambda found: found.group().replace(" ", NBSP), "|".join(map(_cell, line.split("|"))))


def _cell(text: str) -> str:
    """The cell without places to break it, if it is short; code stays as it is, since people copy it."""
    words = text.strip()
    return f" {words.replace(' ', NBSP)} " if words and len(words) <= _SHORT_CELL and "`" not in words else text


def linked(text: str, document: str) -> Iterator[str]:
    """What a document links to in the repository that is neither a page nor a file of `docs`."""
    for found in _LINK.findall(text):
        path = _target(found, document)
        if path and (not path.startswith("docs/") or (ROOT / path).is_dir()):
            yield path


def shown(path: str) -> tuple[str, list[str]]:
    """Markdown that shows a file or folder from outside of `docs`, and what else it links to."""
    orphan = "" if path in PAGES else "---\norphan: true\n---\n\n"
    if (ROOT / path).is_dir():
        text, others = _folder(path)
        return orphan + text, others
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return orphan + rewritten(text, path), list(linked(text, path))
    language = "python" if path.endswith(".py") else "text"
    return f"{orphan}# {path}\n\n~~~~{language}\n{text}\n~~~~\n", []


def _folder(path: str) -> tuple[str, list[str]]:
    """A table of the files in a folder, modules with the first line of their docstring."""
    files = [f"{path}/{file.name}" for file in sorted((ROOT / path).iterdir()) if file.suffix in _LISTED]
    here = str(PurePosixPath(place(path)).parent)
    rows = [f"| [{Path(name).name}]({relpath(place(name), here)}) | {_first_line(name)} |" for name in files]
    title = path.capitalize() if path in PAGES else path
    text = "\n".join([f"# {title}", "", "| file | what it is |", "|---|---|", *rows, ""])
    return text, [name for name in files if not name.startswith("docs/")]


def _first_line(path: str) -> str:
    if not path.endswith(".py"):
        return ""
    words = ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or ""
    return words.partition("\n")[0].replace("|", "\\|")


def _target(link: str, document: str) -> str:
    """The path in the repository that a relative link leads to; empty for any other link."""
    if ":" in link or link.startswith("/"):
        return ""
    path = normpath(f"{PurePosixPath(document).parent}/{link}")
    return path if not path.startswith("..") and (ROOT / path).exists() else ""
