from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.data.demonstrations import hold_out
from glam.data.masked_set import MaskedSet
from glam.data.reader import Dataset
from glam.data.windows import EpisodeTable
from glam.recipes import world_model
from glam.sim.world import EpisodeFailedError, World
from glam.stages.collect import CollectConfig, collect
from glam.stages.replay import ReplayConfig, held_out_episodes, replay_dataset
from glam.stages.train_world_model import train_world_model
from glam.training.learner import FitConfig
from glam.world_models.latent_decoder import LatentDecoderConfig, fit_decoder


def test_a_replay_leaves_records_a_summary_and_films(trained, tmp_path: Path) -> None:
    out = replay_dataset(ReplayConfig("lift", episodes=1, films=1), trained.run, trained.auxiliary, tmp_path / "out")
    record = read_json(out / "replay.json")
    assert record["summary"]["episodes"] == 1
    assert record["summary"]["median_path_mm"] > 0
    assert len(list(out.glob("*.mp4"))) == 1


def test_a_set_of_another_task_is_refused(trained, tmp_path: Path) -> None:
    with pytest.raises(GlamError, match=r"umi: shows lift, and --task is stack-two; give --task lift"):
        replay_dataset(ReplayConfig("stack-two"), trained.run, trained.auxiliary, tmp_path / "out")


def test_episodes_that_were_trained_on_are_not_replayed(trained) -> None:
    dataset = Dataset.open(trained.auxiliary)
    table = EpisodeTable.of_lengths([record.length for record in dataset.episodes])
    split = hold_out(table, dataset.content_id, 0.1, seed=0)
    (episode,) = held_out_episodes(trained.run, dataset)
    assert [table.starts[episode]] == split.held_out.starts.tolist()


def test_all_episodes_of_a_set_that_was_never_trained_on_are_replayed(trained, tmp_path) -> None:
    collect(CollectConfig("lift", "umi", 77, image_size=32), tmp_path / "other", 2, workers=1)
    assert held_out_episodes(trained.run, Dataset.open(tmp_path / "other")) == [0, 1]


def test_a_copy_with_masks_is_known_to_have_been_trained_on(trained, tmp_path) -> None:
    source = Dataset.open(trained.auxiliary)
    copy = MaskedSet.of(source, tmp_path / "copy", source.schema.objects, {})
    with copy.making():
        for index in copy.missing():
            copy.save(index, {key: source.masks(index, key) for key in source.schema.mask_keys})
        copy.publish()
    copied = Dataset.open(copy.root)
    assert copied.content_id != source.content_id
    assert held_out_episodes(trained.run, copied) == held_out_episodes(trained.run, source)


def test_a_replay_whose_physics_breaks_is_a_failure_with_the_errors_until_then(
    trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = iter(range(1000))
    step = World.step

    def breaking(world: World, action: NDArray[np.float64]) -> None:
        if next(steps) == 3:
            raise EpisodeFailedError("the solver diverged")
        step(world, action)

    monkeypatch.setattr(World, "step", breaking)
    out = replay_dataset(ReplayConfig("lift", episodes=1, films=1), trained.run, trained.auxiliary, tmp_path / "out")
    (episode,) = read_json(out / "replay.json")["episodes"]
    assert not episode["is_success"]
    assert episode["errors"]["path_mm"] >= 0


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
