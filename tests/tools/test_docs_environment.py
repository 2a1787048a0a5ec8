"""The environment of the site is made once. No package is installed here."""

import subprocess
import sys

import pytest

import docs_environment
from system_packages import SetUpError


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the inputs, and pip replaced by a list of what it was asked for."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "pyproject.toml").write_text('[project.optional-dependencies]\ndocs = ["sphinx>=8"]\n')
    (tmp_path / "constraints.txt").write_text("Sphinx==9\n")
    calls: list[list[str]] = []
    monkeypatch.setattr(docs_environment, "__file__", str(tmp_path / "tools" / "docs_environment.py"))
    monkeypatch.setattr(docs_environment, "install", calls.append)
    monkeypatch.setattr(docs_environment, "make_environment", lambda: (tmp_path / ".docs-venv").mkdir(exist_ok=True))
    monkeypatch.setattr(docs_environment, "runs", lambda python: (tmp_path / ".docs-venv").exists())
    monkeypatch.chdir(tmp_path)
    return tmp_path, calls


def test_the_extra_is_installed_once(project):
    _, calls = project
    docs_environment.main()
    docs_environment.main()
    assert calls == [["sphinx>=8"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project.optional-dependencies]\ndocs = ["sphinx>=9"]\n'),
        ("constraints.txt", "Sphinx==9.1\n"),
    ],
)
def test_a_changed_input_installs_again(project, name, text):
    folder, calls = project
    docs_environment.main()
    (folder / name).write_text(text)
    docs_environment.main()
    assert len(calls) == 2


def test_a_failed_installation_is_taken_up_again(project, monkeypatch):
    _, calls = project

    def fail(packages):
        raise SetUpError("no network")

    monkeypatch.setattr(docs_environment, "install", fail)
    with pytest.raises(SetUpError):
        docs_environment.main()
    monkeypatch.setattr(docs_environment, "install", calls.append)
    docs_environment.main()
    assert calls == [["sphinx>=8"]]


def test_an_old_python_gets_a_sentence(project, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    with pytest.raises(SetUpError, match=r"Python 3\.11 or newer"):
        docs_environment.main()


def test_pip_that_fails_names_its_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".docs-venv").mkdir()
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: subprocess.CompletedProcess(a, 1))
    with pytest.raises(SetUpError, match=r"\.docs-venv/install\.log"):
        docs_environment.install(["sphinx>=8"])
