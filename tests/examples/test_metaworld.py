"""The example in Meta-World, from demonstrations to trials; run by `tools/test_metaworld.sh`."""

import importlib.util
import json
import re
import shlex
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("metaworld") is None:  # not imported here: MuJoCo reads MUJOCO_GL only once
    pytest.skip("Meta-World is not installed", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/metaworld"))

import evaluate
import record
from world import CAMERAS, HAND_HELD, ROBOT, MetaWorld

from glam import cli
from glam.data.reader import Dataset

pytestmark = pytest.mark.filterwarnings("ignore")  # Meta-World's own
PAGE = (Path(__file__).parents[2] / "docs/metaworld.md").read_text(encoding="utf-8")


def scene(look, seed):
    """Readings, images and masks; one world at a time, as each has renderers."""
    with closing(MetaWorld(look)) as world:
        world.reset(seed)
        return world.readings(), world.images(), world.masks()


def test_both_looks_show_the_same_scene_differently():
    (readings, images, masks), (same, others, _) = scene(ROBOT, 5), scene(HAND_HELD, 5)
    for name, values in readings.items():
        assert np.array_equal(values, same[name])
    for camera in CAMERAS:
        assert (images[camera] != others[camera]).mean() > 0.1
        assert masks[camera].any((0, 1)).all(), "puck and goal are seen"


def test_the_page_works_as_printed(tmp_path, monkeypatch, capsys):
    """Every command of docs/metaworld.md but the installation, with fewer demonstrations, steps and trials."""
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
            assert not stop.value.code, (line, capsys.readouterr())
        elif program == "python":
            few = re.sub(r"--episodes \d+", "--episodes 3", " ".join(words)).split()
            monkeypatch.setattr(sys, "argv", few)
            {"record.py": record, "evaluate.py": evaluate}[Path(few[0]).name].main()
        ran += program in {"glam", "python"}
    assert ran == 10
    assert Dataset.open(tmp_path / "data/hand").schema.role == "auxiliary"
    assert len(Dataset.open(tmp_path / "data/robot").schema.objects) == 2
    found = json.loads((tmp_path / "metaworld.json").read_text())["policies"]
    assert [(one["policy"], len(one["outcomes"])) for one in found] == [("mip", 3), ("glam-o", 3), ("retarget", 3)]
