import base64
import io
import re

import numpy as np
from PIL import Image

from glam.reports.films import encode_film
from results.films import MOMENTS, film_blocks, strips
from results.record import RecordedCell
from results.trials import Trials


def filmed(folder, seed, *, is_success):
    path = folder / f"{seed}-{'success' if is_success else 'failed-place'}.mp4"
    path.write_bytes(encode_film(np.zeros((3, 32, 64, 3), np.uint8), 10).mp4)
    return path


def test_a_method_is_shown_by_some_successes_and_some_failures(tmp_path):
    episodes = [filmed(tmp_path, seed, is_success=seed < 3) for seed in range(4)]
    cell = RecordedCell("lift", "mip", 0, "", "evaluation", "mip-lift-1", (), {})
    (figures,) = film_blocks([Trials("mip", 1, cells=(cell,)), Trials("glam", 1)], {"mip-lift-1": episodes})
    assert figures.title == "Films of mip"
    assert len(figures.drawn) == 3  # two of three successes, and the failure
    assert "Scene 3: fails to place." in figures.drawn[2]
    assert "Scene 0: succeeds." in figures.drawn[0]


def test_a_replay_is_shown_as_a_strip_of_moments_from_its_begin_to_its_end(tmp_path):
    brightness = np.linspace(0, 240, 21).astype(np.uint8)
    frames = np.broadcast_to(brightness[:, None, None, None], (21, 32, 64, 3))
    path = tmp_path / "episode-000000.mp4"
    path.write_bytes(encode_film(frames, 10).mp4)
    umi, lab = (
        RecordedCell("lift", "glam-o", 0, f"{name} to kinova-lab", "replay", name, (), {}) for name in ("umi", "lab")
    )
    (figures,) = strips([umi, lab], {"umi": [path]}, "Moments.")
    assert (figures.title, figures.note) == ("lift", "Moments.")
    assert "<figcaption>umi to kinova-lab</figcaption>" in figures.drawn[0]
    (encoded,) = re.findall(r"base64,([^\"]+)", figures.drawn[0])
    (image,) = figures.images
    assert image.content == base64.b64decode(encoded)
    strip = np.asarray(Image.open(io.BytesIO(image.content))).astype(int)
    assert strip.shape == (32, MOMENTS * 64 + (MOMENTS - 1) * 2, 3)
    shown = strip[16, 32::66, 0]
    assert np.abs(shown - np.linspace(0, 240, MOMENTS)).max() < 8
