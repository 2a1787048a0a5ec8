"""Fail when a text uses a word of our own where robot learning has a usual one.

    python tools/check_words.py [PATH ...]

Read are Python files and Markdown below the given paths, by default the whole repository. Docstrings must begin with a
noun or a verb, not with "What", "Whether", "How" or "Of". A line that must name an old word ends with `# old word`.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

USUAL = {
    r"\beyes\b|\b_?eyes_|_eyes\b|Eyes": "(vision) encoder",
    r"\b_?sight\b|Sight\b": "encoder, encoder inputs",
    r"\blessons?\b|Lesson\b": "auxiliary keypoint loss",
    r"\bteach(?:es|ing)?\b|\btaught\b": "loss, training forward; trained",
    r"\b[Pp]olic(?:y|ies) looks? with\b": "uses",
    r"hidden_state_share": "state_dropout",
    r"\b_?blurred\(": "proprio noise",
    r"--memory\b|\bmemory (?:of the plan|0\.\d)": "temporal ensembling weight",
    r"--execute\b": "--n-action-steps",
    r"(?<!receding )(?<!Receding )\b_?horizons?\b|\bHorizon\b": "chunk_size, max_episode_steps or action chunking",
    r"turned[_ ](?:degrees|poses?)": "IDM rotation noise",
    r"\blater\(\)": "next()",
    r"\bScales\b|--scale\b|\bat (?:the )?scale (?:cpu|demo|paper|smoke)\b": "normalizer; preset",
    r"[Nn]ormalis(?:e|a|i)": "normalize",
    r"\bWatch\b|\bunseen\(|[=(] ?unseen[,)]": "callbacks, no_progress",
    r"\b[Uu]nseen (?:episode|object|frame)s?\b": "held-out; hidden, of an object that no camera shows",
    r"\bunseen configurations?\b": "scene",
    r"\blabelled (?:copy|copies)\b|\blabelled by\b": "relabelled: with latent actions; labelled: with robot actions",
    r"\brows (?:of|in) (?:a|the|each) batch\b|\bbatch_rows\b|\brows: FrameIndices\b": "batch_size, frame indices",
    r"\bclass Arms\b": "variant (of a comparison), retargeter (of a robot)",
    r"--(?:aux|data|target) \S+ .*--aux \S+ .*--aux\b|--aux \S+ --aux\b|--data \S+ --data\b": "--aux A B, --data A B",
    r"\btracked: (?:Tensor|States)\b": "idm_pose",
    r"\bincrements?\b": "delta actions",
    r"\bWishes\b|\bwishes\b": "import options",
    r"\bNamedSource\b|\bLabelled\(": "say what it is",
    r"\b[Tt]asks?(?:'s)? sentence|\bsentence of (?:a|the) task": "instruction",
    r"\b[Ww]orkshops?\b": "run store",
    r"\b[Cc]ontests?\b": "comparison",
    r"\b_mind\b|\b_Stranger\b": "executor, pending connection",
    r"[Pp]ictures?": "image",
    r"--robot\b(?!\.)": "--embodiment",
    r"undecided|do not tell apart|data (?:do not )?decide|does not decide": "not statistically significant",
    r"\bits kin\b": "say which ones",
    r"\bpip install '?glam(?!-robot)\b": "pip install glam-robot",
}
OPENING = re.compile(r"(?:What|Whether|How|Of|Who|Where|By) ")
SKIPPED = ("docs/results/", "CHANGELOG.md", "LICENSE", "tools/check_words.py", "tests/tools/test_check_words.py")
ALLOWED = "# old word"


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [Path()]
    findings = [f"{path}:{line}: {what}" for path in texts(paths) for line, what in findings_in(path)]
    print("\n".join(findings) or "words: ok")
    sys.exit(1 if findings else 0)


def texts(paths: list[Path]) -> list[Path]:
    """Files that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *map(str, paths)]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [Path(name) for name in sorted(names) if is_read(name) and Path(name).is_file()]


def is_read(name: str) -> bool:
    return name.endswith((".py", ".md")) and not name.startswith(SKIPPED)


def findings_in(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.endswith(ALLOWED):
            yield from ((number, what) for what in line_findings(line))
    if path.suffix == ".py" and path.parts[0] in {"src", "packages"}:
        yield from docstring_findings(text)


def line_findings(line: str) -> Iterator[str]:
    for pattern, usual in USUAL.items():
        if found := re.search(pattern, line) or re.search(pattern, line.replace("_", " ")):  # words of a long name too
            yield f"{found.group()!r}: the usual word is {usual}"


def docstring_findings(source: str) -> Iterator[tuple[int, str]]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)) and (found := OPENING.match(text)):
            line = getattr(node, "lineno", 1)
            yield line, f"a docstring begins with {found.group().strip()!r}: begin with a noun or a verb"


if __name__ == "__main__":
    main()
