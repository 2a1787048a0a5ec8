"""Set-up does its work once, and says in a sentence what it lacks. No package is installed here."""

import subprocess
import sys
from pathlib import Path

import pytest

import set_up
from system_packages import SetUpError


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the inputs of set-up, and pip replaced by a list of what it was asked for."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "constraints.txt").write_text("numpy==2\n")
    (tmp_path / "hashes.txt").write_text("numpy==2 --hash=sha256:1\n")
    (tmp_path / "packages" / "glam_client").mkdir(parents=True)
    (tmp_path / "packages" / "glam_client" / "pyproject.toml").write_text("[project]\n")
    calls: list[str] = []
    monkeypatch.setattr(set_up, "__file__", str(tmp_path / "tools" / "set_up.py"))
    monkeypatch.setattr(set_up, "ensure", lambda python: calls.append("gl"))
    monkeypatch.setattr(set_up, "pip", lambda *arguments: calls.append(arguments[-1]))
    monkeypatch.setattr(set_up, "make_environment", lambda: make_environment(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path, calls


def make_environment(folder: Path) -> None:
    (folder / ".venv" / "bin").mkdir(parents=True, exist_ok=True)
    python = folder / ".venv" / "bin" / "python"
    if not python.exists():
        python.symlink_to(sys.executable)


def test_the_first_run_installs_the_files_that_were_tested_then_the_project(project):
    _, calls = project
    set_up.main()
    assert calls == ["hashes.txt", ".[dev]", "gl"]


def test_hashes_can_be_left_out_where_a_source_builds_packages_itself(project, monkeypatch):
    _, calls = project
    monkeypatch.setenv("HASHES", "no")
    set_up.main()
    assert calls == ["hatchling", ".[dev]", "gl"]


def test_the_second_run_installs_nothing(project):
    _, calls = project
    set_up.main()
    calls.clear()
    set_up.main()
    assert calls == ["gl"]


@pytest.mark.parametrize("name", set_up.INPUTS)
def test_a_changed_input_installs_again(project, name):
    folder, calls = project
    set_up.main()
    calls.clear()
    (folder / name).write_text("changed")
    set_up.main()
    assert calls == ["hashes.txt", ".[dev]", "gl"]


def test_an_interrupted_installation_is_taken_up_again(project, monkeypatch):
    _, calls = project

    def interrupted(*arguments):
        raise KeyboardInterrupt

    working = set_up.pip
    monkeypatch.setattr(set_up, "pip", interrupted)
    with pytest.raises(KeyboardInterrupt):
        set_up.main()
    monkeypatch.setattr(set_up, "pip", working)
    set_up.main()
    assert calls == ["hashes.txt", ".[dev]", "gl"]


def test_a_folder_that_was_moved_with_its_environment_is_installed_again(project, monkeypatch):
    folder, calls = project
    set_up.main()
    calls.clear()
    moved = folder.rename(folder.with_name("elsewhere"))
    monkeypatch.setattr(set_up, "__file__", str(moved / "tools" / "set_up.py"))
    set_up.main()
    assert calls == ["hashes.txt", ".[dev]", "gl"]


def test_an_environment_whose_python_has_gone_is_not_ready(project):
    folder, _ = project
    set_up.main()
    (folder / ".venv" / "bin" / "python").unlink()
    (folder / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
    assert not set_up.is_ready()


def test_an_old_python_gets_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(set_up.sys, "version_info", (3, 9, 2))
    with pytest.raises(SetUpError, match=r"needs Python 3\.11 or newer but .* is 3\.9\.2"):
        set_up.make_environment()


def test_a_missing_venv_module_is_installed_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ensurepip", None)

    def refuse(packages, purpose):
        raise SetUpError(f"{purpose}: {packages}")

    monkeypatch.setattr(set_up, "apt_install", refuse)
    with pytest.raises(SetUpError, match=r"lacks its venv module: \['python3-venv'\]"):
        set_up.make_environment()


def test_a_failing_pip_shows_its_errors_and_names_the_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text("#!/bin/sh\necho Collecting numpy\necho 'ERROR: no such version' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(SetUpError) as caught:
        set_up.pip("numpy")
    assert str(caught.value).splitlines() == [
        "ERROR: no such version",
        "Installing the packages failed: please see .venv/glam-install.log, then try again.",
    ]
    assert "Collecting numpy" in (tmp_path / ".venv" / "glam-install.log").read_text()


def test_pip_is_given_names_and_pins_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    set_up.pip("--editable", ".[dev]")
    (line,) = (tmp_path / ".venv" / "glam-install.log").read_text().splitlines()
    assert line.startswith("-m pip install")
    assert line.endswith("--constraint constraints.txt --editable .[dev]")
    assert "://" not in line


@pytest.mark.parametrize("script", ["set_up.py", "ensure_gl.py", "system_packages.py"])
def test_the_scripts_parse_under_an_old_python(script):
    tools = Path(set_up.__spec__.origin).parent
    parse = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 7))"
    subprocess.run([sys.executable, "-c", parse, str(tools / script)], check=True)
