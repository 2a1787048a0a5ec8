"""The size limits and the rule of mirrored tests."""

import subprocess

import pytest

import check_sizes

LOGIC = "def double(x):\n    return 2 * x\n"
DECLARATIONS = '''"""Only names."""

LIMIT = 3


class Model(Protocol):
    def losses(self, batch):
        """What it costs."""

    def act(self): ...
'''


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src" / "glam" / "data").mkdir(parents=True)
    (tmp_path / "tests" / "data").mkdir(parents=True)
    excuse(tmp_path)
    return tmp_path


def excuse(project, *modules):
    text = f"[tool.glam.check]\nwithout-mirrored-test = {list(modules)}\n"
    (project / "pyproject.toml").write_text(text)


def commit(project):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=project, check=True)


def module(project, name, text=LOGIC):
    (project / "src" / "glam" / name).write_text(text)


def findings(project):
    return list(check_sizes.all_findings(project))


def test_a_module_with_its_mirrored_test_is_fine(project):
    module(project, "data/image_codecs.py")
    (project / "tests" / "data" / "test_image_codecs.py").touch()
    assert findings(project) == []


def test_a_module_without_its_mirrored_test_is_named(project):
    module(project, "data/image_codecs.py")
    (project / "tests" / "test_image_codecs.py").touch()
    assert findings(project) == ["src/glam/data/image_codecs.py: no test file tests/data/test_image_codecs.py"]


def test_modules_that_only_declare_need_no_test(project):
    module(project, "data/dataset_info.py", DECLARATIONS)
    module(project, "data/__init__.py")
    module(project, "__main__.py")
    assert findings(project) == []


def test_an_exception_is_honoured_until_it_is_no_longer_needed(project):
    module(project, "data/image_codecs.py")
    excuse(project, "data/image_codecs.py")
    assert findings(project) == []
    (project / "tests" / "data" / "test_image_codecs.py").touch()
    assert "data/image_codecs.py needs no place in without-mirrored-test" in findings(project)[0]


def test_an_exception_for_a_module_that_does_not_exist_must_go(project):
    excuse(project, "data/gone.py")
    assert "data/gone.py needs no place" in findings(project)[0]


def test_no_exception_may_be_added_to_those_of_the_last_commit(project):
    module(project, "data/image_codecs.py")
    excuse(project, "data/image_codecs.py")
    commit(project)
    assert findings(project) == []
    module(project, "data/store.py")
    excuse(project, "data/image_codecs.py", "data/store.py")
    assert findings(project) == [
        "pyproject.toml: data/store.py is new in without-mirrored-test, which may only shrink; write its test instead"
    ]


@pytest.mark.parametrize(("lines", "allowed"), [(300, True), (301, False)])
def test_a_file_has_at_most_300_lines(project, lines, allowed):
    module(project, "long.py", "x = 1\n" * lines)
    assert findings(project) == ([] if allowed else ["src/glam/long.py: 301 lines, at most 300 allowed"])


@pytest.mark.parametrize(("lines", "allowed"), [(60, True), (61, False)])
def test_a_function_has_at_most_60_lines(project, lines, allowed):
    (project / "tests" / "test_long.py").touch()
    module(project, "long.py", "\n\ndef long():\n" + "    x = 1\n" * (lines - 1))
    assert findings(project) == ([] if allowed else ["src/glam/long.py:3: long has 61 lines, at most 60 allowed"])


def test_modules_may_be_tested_together_in_a_file_that_exists(project):
    module(project, "data/image_codecs.py")
    with (project / "pyproject.toml").open("a") as file:
        file.write('[tool.glam.check.tested-together]\n"tests/all.py" = ["data/image_codecs.py"]\n')
    assert findings(project) == ["src/glam/data/image_codecs.py: no test file tests/data/test_image_codecs.py"]
    (project / "tests" / "all.py").touch()
    assert findings(project) == []
