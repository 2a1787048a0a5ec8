"""A model of a robot that would take the machine along is refused by a process that ends early."""

import resource
import time
from pathlib import Path

import pytest
from tests.interop.lerobot import foreign

from glam.core.errors import GlamError
from glam.sim import model_file
from glam.sim.model_file import compiled

TWO = "<mujoco><worldbody>{}<geom size='1'/>{}</worldbody></mujoco>"


def bomb(counts: tuple[int, ...]) -> str:
    opened = "".join(f"<replicate count='{count}'>" for count in counts)
    return TWO.format(opened, "</replicate>" * len(counts))


@pytest.fixture
def model(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "robot.xml"
        path.write_text(text)
        return path

    return write


def test_a_model_that_unrolls_without_end_is_refused(model) -> None:
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    with pytest.raises(GlamError, match=r"robot.xml: ends the process that reads it, or needs more than 256 MB"):
        compiled(model(bomb((1000, 1000, 1000))), "tip")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before.ru_maxrss
    assert grown < 100 * 1024  # kilobytes
    assert time.process_time() - start < 2.0


def test_a_bomb_in_an_included_file_is_found_though_the_model_was_read_before(model, tmp_path) -> None:
    part = tmp_path / "part.xml"
    path = model("<mujoco><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody>{}</mujoco>")
    path.write_text(path.read_text().format("<include file='part.xml'/>"))
    part.write_text("<mujoco><size nkey='0'/></mujoco>")
    assert compiled(path, "a").nbody == 2
    part.write_text(bomb((1000, 1000, 1000)))
    with pytest.raises(GlamError, match="ends the process that reads it"):
        compiled(path, "a")


def test_a_small_number_of_copies_is_no_bomb(model) -> None:
    assert compiled(model(bomb((3,))), "tip").nbody >= 1


def test_a_model_that_was_tried_is_not_tried_again(model, monkeypatch) -> None:
    compiled(model(foreign.URDF), "tip")
    monkeypatch.setattr(model_file, "_try", lambda path, tool: pytest.fail(f"{path} {tool}"))
    assert compiled(model(foreign.URDF), "tip").nbody == 5
