"""Finding or installing a GL library, on machines that are made up."""

import subprocess
import sys

import pytest

import ensure_gl
import system_packages
from system_packages import SetUpError


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with nothing on it but apt; a package brings the backend of its kind."""

    class Machine:
        def __init__(self):
            self.commands, self.loadable, self.working, self.user, self.apt_works = [], set(), set(), 0, True
            self.usable_from_apt = {"egl", "osmesa"}
            self.python = tmp_path / "bin" / "python"

        def run(self, command, **options):
            assert command[0] == "apt-get"
            self.commands.append([word for word in command[1:] if not word.startswith("-")])
            if command[-1] != "update" and self.apt_works:
                backend = "osmesa" if "libosmesa6" in command else "egl"
                self.loadable.add(backend)
                self.working |= {backend} & self.usable_from_apt
            return subprocess.CompletedProcess(command, 0 if self.apt_works else 100)

    made_up = Machine()
    monkeypatch.setattr(ensure_gl, "is_loadable", lambda backend: backend in made_up.loadable)
    monkeypatch.setattr(ensure_gl, "gives_context", lambda python, backend: backend in made_up.working)
    monkeypatch.setattr(ensure_gl.sys, "platform", "linux")
    monkeypatch.setattr(system_packages.subprocess, "run", made_up.run)
    monkeypatch.setattr(system_packages.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(system_packages.os, "geteuid", lambda: made_up.user)
    return made_up


def test_a_working_library_is_noted_and_nothing_is_installed(machine, tmp_path):
    machine.loadable = machine.working = {"egl", "osmesa"}
    assert ensure_gl.ensure(machine.python) == "egl"
    assert (tmp_path / "glam-gl").read_text() == "egl\n"
    assert machine.commands == []


def test_a_library_that_loads_but_gives_no_context_is_passed_over(machine):
    machine.loadable, machine.working = {"egl", "osmesa"}, {"osmesa"}
    assert ensure_gl.ensure(machine.python) == "osmesa"
    assert machine.commands == []


def test_a_note_saves_the_trial(machine, tmp_path, monkeypatch):
    (tmp_path / "glam-gl").write_text("osmesa\n")
    machine.loadable = {"osmesa"}
    monkeypatch.setattr(ensure_gl, "gives_context", lambda python, backend: pytest.fail("tried"))
    assert ensure_gl.ensure(machine.python) == "osmesa"


def test_a_note_about_a_library_that_has_gone_is_not_believed(machine, tmp_path):
    (tmp_path / "glam-gl").write_text("osmesa\n")
    machine.loadable = machine.working = {"egl"}
    assert ensure_gl.ensure(machine.python) == "egl"
    assert (tmp_path / "glam-gl").read_text() == "egl\n"


def test_root_gets_egl_installed(machine, tmp_path):
    assert ensure_gl.ensure(machine.python) == "egl"
    assert machine.commands == [["update"], ["install", "libegl1", "libegl-mesa0", "libgl1-mesa-dri"]]
    assert (tmp_path / "glam-gl").read_text() == "egl\n"


def test_osmesa_is_installed_when_egl_does_not_help(machine):
    machine.usable_from_apt = {"osmesa"}
    assert ensure_gl.ensure(machine.python) == "osmesa"
    assert machine.commands[-1] == ["install", "libosmesa6"]


def test_anybody_else_is_told_what_to_install(machine, tmp_path):
    machine.user = 1000
    with pytest.raises(SetUpError, match="please run `sudo apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri`"):
        ensure_gl.ensure(machine.python)
    assert machine.commands == []
    assert not (tmp_path / "glam-gl").exists()


def test_without_apt_the_packages_are_named(machine, monkeypatch):
    monkeypatch.setattr(system_packages.shutil, "which", lambda name: None)
    with pytest.raises(SetUpError, match="what Debian calls libegl1 libegl-mesa0 libgl1-mesa-dri"):
        ensure_gl.ensure(machine.python)


def test_a_failing_apt_is_a_sentence(machine):
    machine.apt_works = False
    with pytest.raises(SetUpError, match="install these packages by hand"):
        ensure_gl.ensure(machine.python)


def test_when_nothing_helps_there_is_a_sentence(machine):
    machine.usable_from_apt = set()
    with pytest.raises(SetUpError, match="check the GL drivers"):
        ensure_gl.ensure(machine.python)


def test_elsewhere_than_on_linux_nothing_is_needed(machine, monkeypatch):
    monkeypatch.setattr(ensure_gl.sys, "platform", "darwin")
    assert ensure_gl.ensure(machine.python) == "the system's own"
    assert machine.commands == []


def test_a_real_library_is_told_from_one_that_is_missing(monkeypatch):
    monkeypatch.setattr(
        ensure_gl, "LIBRARIES", {"here": ("libnothing.so.9", "libc.so.6"), "gone": ("libnothing.so.9",)}
    )
    assert ensure_gl.is_loadable("here")
    assert not ensure_gl.is_loadable("gone")
    assert not ensure_gl.is_loadable("never heard of")


def test_this_machine_gives_a_context_and_a_nonsense_backend_does_not():
    assert ensure_gl.first_working(sys.executable) in {"egl", "osmesa"}
    assert not ensure_gl.gives_context(sys.executable, "nonsense")
