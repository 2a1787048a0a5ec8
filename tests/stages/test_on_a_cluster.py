"""What other machines decode, label, segment and track is what this one makes; with Ray where it is installed."""

from pathlib import Path

import numpy as np
import pytest
from tests.clusters import OtherMachine, two_machines
from tests.data.tiny import content
from tests.interop.segmenters import recorded
from tests.interop.segmenters.test_proposals import CLICKS, Flat

from glam.core.geometry import PinholeCamera
from glam.core.on_ray import RayPool, ray
from glam.data.cache import decoded
from glam.data.reader import Dataset
from glam.interop.segmenters.by_clicks import ByClicks
from glam.interop.segmenters.judging import JudgeConfig
from glam.interop.segmenters.prompts import parse_objects
from glam.stages.masks import make_masks
from glam.stages.relabel import relabel
from glam.stages.tracks import track_by_poses


@pytest.fixture(scope="module", params=["machine", "ray"])
def pool(request):
    if request.param == "machine":
        yield OtherMachine()
        return
    if ray is None:
        pytest.skip("Ray is not installed")
    with two_machines() as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", running.address)
        yield RayPool()
        ray.shutdown()


def test_frames_are_the_same(trained, pool, tmp_path: Path) -> None:
    here, there = (
        decoded(Dataset.open(trained.target), 24, tmp_path / name, pool=machines)
        for name, machines in (("here", None), ("there", pool))
    )
    rows = np.arange(len(here))
    np.testing.assert_array_equal(there.action, here.action)
    np.testing.assert_array_equal(there.ee_pose, here.ee_pose)
    for kind in ("images", "masks"):
        for key, array in getattr(here, kind).items():
            assert array[rows].any()
            np.testing.assert_array_equal(getattr(there, kind)[key][rows], array[rows])


def test_labels_are_the_same(trained, pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glam.stages.relabel._LEAST", 1)  # so that several machines share three episodes
    monkeypatch.setattr("glam.stages.relabel._SHARES", 2)
    expected = relabel(trained.run, trained.auxiliary, workers=1).read_bytes()
    assert relabel(trained.run, trained.auxiliary, workers=1, pool=pool).read_bytes() == expected


def test_masks_are_the_same(pool, tmp_path: Path) -> None:
    source = recorded.squares(tmp_path / "set")
    maker = ByClicks(Flat(), Dataset.open(source), parse_objects(CLICKS), JudgeConfig())
    here = make_masks(source, tmp_path / "here", maker)
    there = make_masks(source, tmp_path / "there", maker, pool=pool)
    assert there.made == here.made > 0
    assert content(there.root) == content(here.root)


def test_tracks_are_the_same(trained, pool, tmp_path: Path) -> None:
    camera = PinholeCamera((1.0, 1.0), (0.5, 0.5), np.zeros(3), np.identity(3))
    here = track_by_poses(trained.target, tmp_path / "here", {"front": camera}, {})
    there = track_by_poses(trained.target, tmp_path / "there", {"front": camera}, {}, pool=pool)
    assert there.made == here.made > 0
    assert content(there.root) == content(here.root)
