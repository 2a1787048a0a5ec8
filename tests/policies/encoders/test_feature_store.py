from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.world_models import tiny

from glam.data.windows import Frames
from glam.policies.encoders import inputs
from glam.policies.encoders.efficientnet_lite0 import EfficientNetLite0Config
from glam.policies.encoders.inputs import folder_of, stored_features

CONFIG = EfficientNetLite0Config(side=32, reading="pooled")


class Backbone:
    """Its features are the number of the frame; counts its calls."""

    def __init__(self, dies_after: int = 1000) -> None:
        self.calls, self.dies_after = 0, dies_after

    def __call__(self, rows: np.ndarray) -> torch.Tensor:
        if self.calls == self.dies_after:
            raise KeyboardInterrupt
        self.calls += 1
        views = torch.tensor([0.0, 0.25])[:, None]
        return torch.from_numpy(rows.astype(np.float32))[:, None, None] + views.expand(2, CONFIG.features)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLAM_CACHE", str(tmp_path))
    monkeypatch.setattr(inputs, "BLOCK", 10)


@pytest.fixture
def frames() -> Frames:
    return tiny.sources()[1].frames  # 72 rows


def test_every_row_is_found_again_in_any_order(frames: Frames) -> None:
    stored = stored_features(frames, CONFIG, Backbone())
    rows = np.array([71, 0, 9, 10, 11, 70, 10])
    assert stored(frames, rows).shape == (7, 2, 1280)
    assert stored(frames, rows)[:, 0, 5].tolist() == rows.tolist()


def test_only_those_views_are_given_that_are_asked_for(frames: Frames) -> None:
    stored = stored_features(frames, CONFIG, Backbone())
    first, second = frames.images.items()
    assert stored(replace(frames, images=dict([second])), np.array([3]))[0, :, 0].tolist() == [3.25]
    assert stored(replace(frames, images=dict([second, first])), np.array([3]))[0, :, 0].tolist() == [3.25, 3.0]


def test_no_frame_is_encoded_twice(frames: Frames) -> None:
    seen: list[tuple[int, int]] = []
    stored_features(frames, CONFIG, first := Backbone(), lambda done, total: seen.append((done, total)))
    stored_features(frames, CONFIG, again := Backbone())
    assert (first.calls, again.calls) == (8, 0)
    assert seen == [(row, 72) for row in (10, 20, 30, 40, 50, 60, 70, 72)]


def test_an_interrupted_work_goes_on(frames: Frames) -> None:
    with pytest.raises(KeyboardInterrupt):
        stored_features(frames, CONFIG, Backbone(dies_after=3))
    stored_features(frames, CONFIG, rest := Backbone())
    assert rest.calls == 5


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("rows-00000010.npy", lambda content: b""),
        ("rows-00000010.npy", lambda content: b"rubbish"),
        ("rows-00000010.npy", lambda content: content[:-1]),
        ("rows-00000010.npy", lambda content: content[:-1] + bytes([content[-1] ^ 1])),
        ("rows-00000010.json", lambda content: b"[1]"),
        ("rows-00000010.json", lambda content: b""),
    ],
)
def test_a_damaged_block_is_made_again(frames: Frames, name: str, damage: Callable[[bytes], bytes]) -> None:
    stored_features(frames, CONFIG, Backbone())
    block = folder_of(frames, CONFIG) / name
    block.write_bytes(damage(block.read_bytes()))
    stored = stored_features(frames, CONFIG, again := Backbone())
    assert again.calls == 1
    assert stored(frames, np.array([12]))[0, 0, 0] == 12.0


def test_sets_images_and_networks_do_not_share_features(frames: Frames) -> None:
    target = tiny.sources()[0].frames
    other = EfficientNetLite0Config(side=32, reading="pooled", sha256="0" * 64)
    assert len({folder_of(frames, CONFIG), folder_of(target, CONFIG), folder_of(frames, other)}) == 3


def test_features_of_another_set_are_never_given(frames: Frames) -> None:
    stored = stored_features(frames, CONFIG, Backbone())
    with pytest.raises(ValueError, match="asked for those of target"):
        stored(tiny.sources()[0].frames, np.array([0]))
