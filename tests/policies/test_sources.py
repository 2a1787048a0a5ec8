import numpy as np
import torch
from tests.world_models import tiny

from glam.data.normalizer import Normalizer
from glam.data.windows import transitions
from glam.policies.sources import (
    ActionBatches,
    BatchPlan,
    LabelledPolicySource,
    LatentBatches,
    PolicySource,
    RelabelledSource,
    RetargetedBatches,
    latent_normalizer,
    mask_centroids,
)


def parts() -> tuple[LabelledPolicySource, PolicySource, Normalizer]:
    target, auxiliary = tiny.sources()
    labelled = LabelledPolicySource("target", target.frames, target.split)
    bare = PolicySource("auxiliary", auxiliary.frames, auxiliary.split)
    return labelled, bare, Normalizer.fit(labelled, [bare])


def test_a_chunk_starts_with_the_action_of_its_own_row() -> None:
    target, _, normalizer = parts()
    chunks = target.actions(np.array([0, 10, 11]), normalizer, chunk_size=4)
    actions = normalizer.action.denormalize(chunks.values.numpy())
    np.testing.assert_allclose(actions[0], target.frames.action[:4], atol=1e-4)
    assert chunks.is_real.tolist() == [[True] * 4, [True, True, False, False], [True, False, False, False]]
    np.testing.assert_allclose(actions[2, 3], target.frames.action[11], atol=1e-4)


def test_latent_actions_of_all_sources_together_have_mean_zero_and_deviation_one() -> None:
    target, auxiliary, _ = parts()
    rng = np.random.default_rng(0)
    tables = [target.train, auxiliary.train]
    latents = [
        rng.normal(place, (1.0, 5.0), (len(source.frames.ee_pose), 2)).astype(np.float32)
        for place, source in ((0.0, target), (3.0, auxiliary))
    ]
    normalizer = latent_normalizer(latents, tables)
    learnt = np.concatenate([values[transitions(table)] for values, table in zip(latents, tables, strict=True)])
    np.testing.assert_allclose(normalizer.normalize(learnt).mean(0), 0.0, atol=1e-5)
    np.testing.assert_allclose(normalizer.normalize(learnt).std(0), 1.0, atol=1e-5)


def test_auxiliary_rows_have_no_state() -> None:
    target, auxiliary, normalizer = parts()
    rows = np.array([0, 1])
    assert torch.all(auxiliary.observations(rows, normalizer).has_state == 0)
    assert torch.all(auxiliary.observations(rows, normalizer).state == 0)
    assert torch.all(target.observations(rows, normalizer).has_state == 1)


def test_latent_chunks_end_one_step_before_action_chunks() -> None:
    """The index law: the last frame of an episode has an action but no latent."""
    target, auxiliary, normalizer = parts()
    latents = np.arange(72, dtype=np.float32)[:, None]
    labelled = RelabelledSource(target, latents)
    chunks = labelled.chunks(np.array([9]), 4)
    assert chunks.values.flatten().tolist() == [9.0, 10.0, 10.0, 10.0]
    assert chunks.is_real.tolist() == [[True, True, False, False]]
    batches = LatentBatches(
        (target, labelled), [RelabelledSource(auxiliary, latents)], normalizer, BatchPlan(4, 3, 5), seed=0
    )
    batch = batches(0)
    assert len(batch.actions.values) == 3
    assert batch.parts == (3, 5)
    assert batch.every().observed.has_state.flatten().tolist() == [1] * 3 + [0] * 5
    assert torch.equal(batch.every().latents.values, batches(0).every().latents.values)


def test_several_auxiliary_sources_are_joined() -> None:
    target, auxiliary, normalizer = parts()
    latents = np.zeros((72, 2), np.float32)
    others = [RelabelledSource(auxiliary, latents), RelabelledSource(auxiliary, latents + 1)]
    batch = LatentBatches((target, RelabelledSource(target, latents)), others, normalizer, BatchPlan(4, 2, 6), seed=0)(
        0
    )
    assert sorted(batch.auxiliary.latents.values[:, 0, 0].tolist()) == [0, 0, 0, 1, 1, 1]


def test_retargeted_rows_follow_target_rows_with_actions_but_no_state() -> None:
    target, auxiliary, normalizer = parts()
    labels = np.arange(72, dtype=np.float32)[:, None].repeat(8, axis=1)
    batches = RetargetedBatches(target, [RelabelledSource(auxiliary, labels)], normalizer, BatchPlan(4, 3, 5), seed=0)
    batch = batches(7)
    assert batch.observed.has_state.flatten().tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert batch.actions.values.shape == (8, 4, 8)
    is_real = batch.actions.is_real[3:, 0]  # a label of the last row of an episode there is not
    assert is_real.sum() >= 4
    firsts = batch.actions.values[3:, 0, 0][is_real].to(torch.int64).numpy()
    assert torch.equal(batch.observed.pose[3:][is_real], auxiliary.observations(firsts, normalizer).pose)
    own = ActionBatches(target, normalizer, chunk_size=4, batch_size=3, seed=0)(7)
    assert torch.equal(batch.actions.values[:3], own.actions.values)
    assert torch.equal(batch.observed.encoder_inputs, batches(7).observed.encoder_inputs)
    assert not torch.equal(batch.observed.encoder_inputs, batches(8).observed.encoder_inputs)


def test_several_retargeted_sources_are_joined() -> None:
    target, auxiliary, normalizer = parts()
    labels = np.zeros((72, 8), np.float32)
    others = [RelabelledSource(auxiliary, labels - 50), RelabelledSource(auxiliary, labels + 50)]
    batch = RetargetedBatches(target, others, normalizer, BatchPlan(4, 2, 6), seed=0)(0)
    assert batch.actions.values[2:, 0, 0].tolist() == [-50, -50, -50, 50, 50, 50]


def test_centroids_are_where_the_mask_is() -> None:
    masks = np.zeros((2, 9, 9, 2), np.uint8)
    masks[0, 0:3, 6:9, 0] = 255
    masks[0, 3:6, 3:6, 1] = 255
    masks[1, 0, 0, 0] = 255
    centroids, is_seen = mask_centroids(masks)
    np.testing.assert_allclose(centroids[0], [0.75, 0.0, -0.75, 0.0], atol=1e-6)
    assert is_seen.tolist() == [[1, 1, 1, 1], [0, 0, 0, 0]]
