"""A path that is joined to a name out of a file's content is found; one that is joined to a constant is not."""

import pytest

import check_paths

LOADER = "def load(root: Path, name: str):\n    return {}"


def findings(source, allowed=frozenset()):
    return list(check_paths.all_findings({"a.py": source}, set(allowed)))


def test_no_name_out_of_a_content_is_joined_to_a_folder_but_by_the_one_function():
    sources = {path.as_posix(): path.read_text(encoding="utf-8") for path in check_paths.python_files()}
    assert len(sources) > 250
    allowed = {(name, text) for name, reasons in check_paths.ALLOWED.items() for text in reasons}
    assert list(check_paths.all_findings(sources, allowed)) == []


@pytest.mark.parametrize(
    "join",
    [
        "root / name",
        "root / 'meta' / name",
        "root / f'{name}.json'",
        "root / names()[0]",
        "root.parent / name",
        "root.joinpath('data', name)",
        "root.with_name(name)",
        "[path / name for path in root.iterdir()]",
        "(root if name else root) / name",
        "Path(root) / name",
    ],
)
def test_a_join_with_a_variable_is_found(join):
    assert findings(LOADER.format(join))


@pytest.mark.parametrize(
    "join",
    [
        "root / 'meta'",
        "root / layout.INFO",
        "root / _INFO / 'x'",
        "root / f'{INFO}.json'",
        "root / f'episode-{number:06d}.json'",
        "contained(root, name)",
        "total / count",
    ],
)
def test_a_join_with_a_constant_is_none(join):
    assert findings(LOADER.format(join)) == []


def test_what_is_made_of_a_path_is_a_path():
    assert findings("def f(root: Path):\n    place = root.resolve()\n    other = place / 'a'\n    return other / name")
    assert findings("class C:\n    root: Path\n    def f(self):\n        return self.root / name")
    assert findings("def folder() -> Path: ...\ndef f():\n    return folder() / name")


def test_an_exception_that_is_no_longer_needed_must_go():
    source = LOADER.format("root / name")
    assert findings(source, {("a.py", "root / name")}) == []
    assert "no longer has" in findings("", {("a.py", "root / name")})[0]
