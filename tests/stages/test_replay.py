from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.reader import Dataset
from glam.recipes.world_models import world_model
from glam.stages.replay import ReplayConfig, replay_dataset, unseen_episodes
from glam.stages.train_world_model import train_world_model


def test_a_replay_leaves_records_a_summary_and_films(trained, tmp_path: Path) -> None:
    out = replay_dataset(ReplayConfig("lift", episodes=1, films=1), trained.run, trained.auxiliary, tmp_path / "out")
    record = read_json(out / "replay.json")
    assert record["summary"]["episodes"] == 1
    assert record["summary"]["median_path_mm"] > 0
    assert len(list(out.glob("*.mp4"))) == 1


def test_episodes_that_were_trained_on_are_not_replayed(trained) -> None:
    dataset = Dataset.open(trained.auxiliary)
    held_out = unseen_episodes(trained.run, dataset, dataset.content_id)
    assert 0 < len(held_out) < len(dataset.episodes)
    assert unseen_episodes(trained.run, dataset, "some other set") == [0, 1, 2]


def test_a_method_without_an_action_decoder_cannot_be_replayed(trained, tmp_path: Path) -> None:
    train_world_model(world_model("lapa-o", "smoke"), trained.target, [trained.auxiliary], tmp_path / "lapa")
    with pytest.raises(GlamError, match="no action decoder"):
        replay_dataset(ReplayConfig("lift", episodes=1), tmp_path / "lapa", trained.auxiliary, tmp_path / "out")
