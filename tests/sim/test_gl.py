"""Which GL library MuJoCo is told to use."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

import ensure_gl
from glam.core.errors import GlamError
from glam.sim import gl


@pytest.fixture
def backend_for(monkeypatch, tmp_path):
    """What is chosen on a machine with these libraries and this note from set-up."""

    def choose(libraries: set[str], note: str = "", platform: str = "linux") -> str | None:
        def load(name: str) -> None:
            if name not in libraries:
                raise OSError(name)

        monkeypatch.setattr(gl.ctypes, "CDLL", load)
        monkeypatch.setattr(gl.sys, "platform", platform)
        monkeypatch.setattr(gl, "NOTE", tmp_path / "glam-gl")
        if note:
            (tmp_path / "glam-gl").write_text(note + "\n")
        gl.choose_backend()
        return os.environ.get("MUJOCO_GL")

    monkeypatch.delenv("MUJOCO_GL", raising=False)
    return choose


def test_egl_comes_first(backend_for):
    assert backend_for({"libEGL.so.1", "libOSMesa.so.8"}) == "egl"


def test_osmesa_is_taken_where_egl_is_missing(backend_for):
    assert backend_for({"libOSMesa.so.8"}) == "osmesa"


def test_what_set_up_has_seen_working_is_preferred(backend_for):
    assert backend_for({"libEGL.so.1", "libOSMesa.so.8"}, note="osmesa") == "osmesa"


@pytest.mark.parametrize("note", ["osmesa", "something else"])
def test_a_note_that_no_longer_holds_is_passed_over(backend_for, note):
    assert backend_for({"libEGL.so.1"}, note=note) == "egl"


def test_the_choice_of_the_user_stands(backend_for, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert backend_for({"libEGL.so.1"}) == "glfw"


def test_elsewhere_than_on_linux_mujoco_chooses(backend_for):
    assert backend_for({"libEGL.so.1"}, platform="darwin") is None


def test_without_any_library_the_error_says_what_to_install(backend_for):
    with pytest.raises(GlamError, match="install libegl1, libegl-mesa0 and libgl1-mesa-dri"):
        backend_for(set())


def test_set_up_looks_for_the_same_libraries_and_notes_the_answer_in_the_same_place():
    assert gl.LIBRARIES == ensure_gl.LIBRARIES
    assert gl.NOTE.name == ensure_gl.NOTE


def test_the_library_of_triton_comes_before_any_of_opengl(tmp_path):
    """Or software OpenGL and a build of torch for CUDA, which each bring an LLVM, end the process together."""
    folder = tmp_path / "triton" / "_C"
    folder.mkdir(parents=True)
    (tmp_path / "triton" / "__init__.py").touch()
    shutil.copy(find_spec("_json").origin, folder / "libtriton.so")  # any library will do
    program = (
        "import sys\n"
        "loaded = []\n"
        "sys.addaudithook(lambda event, given: loaded.append(str(given[0])) if event == 'ctypes.dlopen' else None)\n"
        "import glam.sim\n"
        "known = [name.rpartition('/')[2] for name in loaded]\n"
        "libraries = [name for name in known if name.startswith(('libtriton', 'libEGL', 'libOSMesa', 'libGL'))]\n"
        "assert libraries[0] == 'libtriton.so' and len(libraries) > 1, known\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "MUJOCO_GL"}
    path = f"{tmp_path}:{environment.get('PYTHONPATH', '')}"
    subprocess.run([sys.executable, "-c", program], env=environment | {"PYTHONPATH": path}, check=True)


def test_importing_the_simulation_is_enough_to_render_without_a_display():
    program = (
        "import glam.sim, mujoco\n"
        "model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom size=\"1\"/></worldbody></mujoco>')\n"
        "renderer = mujoco.Renderer(model, 8, 8)\n"
        "renderer.update_scene(mujoco.MjData(model))\n"
        "assert renderer.render().shape == (8, 8, 3)\n"
    )
    environment = {name: value for name, value in os.environ.items() if name not in {"MUJOCO_GL", "DISPLAY"}}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
