from functools import partial
from pathlib import Path

import pytest

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.reader import Dataset
from glam.recipes.world_models import world_model
from glam.stages.replay import ReplayConfig, replay_dataset, unseen_episodes
from glam.stages.train_world_model import train_world_model
from glam.training.config import FitConfig
from glam.world_models.latent_decoder import LatentDecoderConfig, fit_decoder


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


@pytest.fixture(scope="module")
def lapa(trained, tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("lapa") / "run"
    return train_world_model(world_model("lapa-o", "smoke"), trained.target, [trained.auxiliary], run)


def test_a_method_without_an_action_decoder_gets_one_from_the_target(
    trained, lapa: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = LatentDecoderConfig(fit=FitConfig(steps=20, threads=1))
    monkeypatch.setattr("glam.stages.replay.fit_decoder", partial(fit_decoder, config=short))
    config = ReplayConfig("lift", episodes=1, films=0)
    replay_dataset(config, lapa, trained.auxiliary, tmp_path / "out", target=trained.target)
    record = read_json(tmp_path / "out/replay.json")
    assert record["summary"]["episodes"] == 1
    assert record["fitted_decoder"]["target"] == Dataset.open(trained.target).content_id
    assert record["fitted_decoder"]["action_error"] > 0


def test_the_target_is_asked_for_where_it_is_needed_and_refused_elsewhere(trained, lapa: Path, tmp_path: Path) -> None:
    config = ReplayConfig("lift", episodes=1)
    with pytest.raises(GlamError, match=r"--target: .* learns no action decoder"):
        replay_dataset(config, lapa, trained.auxiliary, tmp_path / "out")
    with pytest.raises(GlamError, match=r"--target .*umi: not the target dataset that"):
        replay_dataset(config, lapa, trained.auxiliary, tmp_path / "out", target=trained.auxiliary)
    with pytest.raises(GlamError, match=r"--target .*kinova: .* has an action decoder of its own"):
        replay_dataset(config, trained.run, trained.auxiliary, tmp_path / "out", target=trained.target)
    assert not (tmp_path / "out").exists()


def test_at_least_one_episode_is_replayed() -> None:
    with pytest.raises(GlamError, match="--episodes 0"):
        ReplayConfig("lift", episodes=0)
