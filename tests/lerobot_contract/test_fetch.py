"""The example of a robot that GLAM does not know, from demonstrations to trials; run by `tools/test_fetch.sh`."""

import importlib.util
import json
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("gymnasium_robotics") is None:  # not imported here: MuJoCo reads MUJOCO_GL only once
    pytest.skip("Gymnasium-Robotics is not installed", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/fetch"))

import evaluate
import record
from expert import demonstrate
from world import CAMERAS, HAND_HELD, ROBOT, FetchWorld

from glam import cli

PAGE = (Path(__file__).parents[2] / "docs/fetch.md").read_text(encoding="utf-8")


def scene(look, seed):
    """Block, goal and images; one world at a time, as each has a renderer."""
    with closing(FetchWorld(look)) as world:
        world.reset(seed)
        return world.block.copy(), world.goal.copy(), world.images()


def test_the_expert_succeeds():
    with closing(FetchWorld()) as world:
        assert len(demonstrate(world, 1)) > 20


def test_both_looks_show_the_same_scene_differently():
    (block, goal, images), (same_block, same_goal, others) = scene(ROBOT, 5), scene(HAND_HELD, 5)
    assert np.array_equal(block, same_block)
    assert np.array_equal(goal, same_goal)
    for camera in CAMERAS:
        assert (images[camera] != others[camera]).mean() > 0.1


def test_the_goal_is_seen():
    _, _, images = scene(ROBOT, 2)
    assert (images["front"].astype(int) @ [1, -1, -1] > 100).sum() > 10


def test_the_page_works_as_printed(tmp_path, monkeypatch, capsys):
    """Every command of docs/fetch.md but the installations, with fewer demonstrations, steps and trials."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path / "cache"))
    ran = 0
    for line in filter(None, blocks.splitlines()):
        program, *words = shlex.split(line)
        if program == "glam":
            brief = ["--preset", "smoke", "--threads", "1"] if words[0].startswith("train-") else []
            monkeypatch.setattr(sys, "argv", ["glam", *words, *brief])
            with pytest.raises(SystemExit) as stop:
                cli.main()
            assert not stop.value.code, (line, capsys.readouterr().err)
        elif program == "python":
            few = re.sub(r"--episodes \d+", "--episodes 3", " ".join(words)).split()
            monkeypatch.setattr(sys, "argv", few)
            {"record.py": record, "evaluate.py": evaluate}[Path(few[0]).name].main()
        ran += program in {"glam", "python"}
    assert ran == 9
    found = json.loads((tmp_path / "fetch.json").read_text())["policies"]
    assert [(one["policy"], one["episodes"], len(one["outcomes"])) for one in found] == [("mip", 3, 3), ("glam", 3, 3)]
