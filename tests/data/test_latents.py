import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from glam.core.errors import GlamError
from glam.data.latents import LatentsProvenance, read_latents, write_latents
from glam.data.windows import EpisodeTable

TABLE = EpisodeTable.of_lengths([4, 2, 3])
MADE = LatentsProvenance("dataset", "model", "glam-o")


def latents() -> np.ndarray:
    return np.arange(12, dtype=np.float32).reshape(6, 2)


def test_each_latent_lies_at_the_row_it_leads_out_of(tmp_path: Path) -> None:
    """The index law: an episode of T frames has T - 1 latents, and its last row has none."""
    write_latents(tmp_path / "z.parquet", latents(), TABLE, MADE)
    every = read_latents(tmp_path / "z.parquet", TABLE, MADE)
    assert every.shape == (9, 2)
    np.testing.assert_array_equal(every[[0, 1, 2, 4, 6, 7]], latents())
    assert not every[[3, 5, 8]].any()


@pytest.mark.parametrize("field", ["dataset", "model"])
def test_latents_of_another_dataset_or_model_are_refused(tmp_path: Path, field: str) -> None:
    write_latents(tmp_path / "z.parquet", latents(), TABLE, MADE)
    with pytest.raises(GlamError, match=f"made for {field}"):
        read_latents(tmp_path / "z.parquet", TABLE, replace(MADE, **{field: "other"}))


def test_a_wrong_number_of_latents_or_a_nan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GlamError, match="6 transitions"):
        write_latents(tmp_path / "z.parquet", latents()[:5], TABLE, MADE)
    with pytest.raises(GlamError, match="finite"):
        write_latents(tmp_path / "z.parquet", np.full((6, 2), np.nan, np.float32), TABLE, MADE)


def test_a_damaged_file_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "z.parquet"
    write_latents(path, latents(), TABLE, MADE)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(GlamError, match="glam relabel"):
        read_latents(path, TABLE, MADE)


def test_a_pipe_in_the_place_of_latents_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "z.parquet")
    with pytest.raises(GlamError, match="is no plain file"):
        read_latents(tmp_path / "z.parquet", TABLE, MADE)


def test_no_random_damage_gives_other_latents_or_a_sentence_of_several_lines(tmp_path: Path) -> None:
    chance, path, sentences = random.Random(0), tmp_path / "z.parquet", []
    write_latents(path, latents(), TABLE, MADE)
    sound, expected = path.read_bytes(), read_latents(path, TABLE, MADE)
    for _ in range(200):
        content, position = bytearray(sound), chance.randrange(len(sound))
        content[position : position + 8] = chance.choice([b"\xff" * 8, chance.randbytes(8), bytes(8), b""])
        path.write_bytes(content)
        try:
            np.testing.assert_array_equal(read_latents(path, TABLE, MADE), expected)
        except GlamError as error:
            sentences.append(str(error))
    assert len(sentences) > 100
    assert [sentence for sentence in sentences if "\n" in sentence] == []
