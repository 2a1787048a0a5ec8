"""Sources of which some know poses and others tracks."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.world_models import tiny

from glam.core.errors import GlamError
from glam.data.demonstrations import of_target, require_alike, restricted, shared
from glam.data.normalizer import NOTHING, Normalizer
from glam.data.tracks import tracks_of
from glam.nn.flagged import Flagged
from glam.nn.gaussian import Noise
from glam.world_models import WORLD_MODELS
from glam.world_models.batches import MixedBatches, WindowBatchConfig, sizes_of
from glam.world_models.known_features import KnownFeatures
from glam.world_models.method import MASKS

CAMERAS = ("a", "b")


def tracked(source, *, has_pose=True, cameras=CAMERAS, seed=5):
    """The source with tracks, of which a tenth is hidden, and perhaps without poses."""
    frames, rng = source.frames, np.random.default_rng(seed)
    shape = len(frames), 2 * len(cameras)
    tracks = tracks_of(rng.uniform(size=(*shape, 2)), rng.uniform(size=shape) > 0.1)
    schema = replace(frames.schema, cameras=CAMERAS, track_cameras=cameras, has_pose=has_pose)
    pose = frames.ee_pose if has_pose else frames.ee_pose[:, :0]
    return replace(source, frames=replace(frames, ee_tracks=tracks, ee_pose=pose, schema=schema))


def used(sources):
    """The sources as a training uses them."""
    common = shared([source.frames.schema for source in sources])
    return [replace(source, frames=restricted(source.frames, common)) for source in sources]


def batch_of(sources, step=0):
    target, *others = used(sources)
    normalizer = Normalizer.fit(target, others)
    config = WindowBatchConfig(frames=4, target_windows=16, auxiliary_windows=16)
    return normalizer, MixedBatches(target, others, normalizer, config, seed=0)(step)


def test_sources_that_share_tracks_alone_are_learnt_from_by_tracks_alone():
    target, other = tiny.sources()
    normalizer, batch = batch_of([tracked(target), tracked(other, has_pose=False)])
    assert normalizer.pose.mean.shape == (0,)
    assert normalizer.groups == (2, 2, 2, 2)
    assert batch.target.pose.shape == batch.auxiliary.pose.shape == (16, 4, 12)


def test_hidden_points_are_zero_and_told_so():
    target, other = tiny.sources()
    _, batch = batch_of([tracked(target), tracked(other, has_pose=False)])
    values, flags = batch.auxiliary.pose[..., :8], batch.auxiliary.pose[..., 8:]
    assert 0.8 < flags.mean() < 1.0
    assert (values.unflatten(-1, (4, 2))[flags == 0] == 0).all()
    assert (values.unflatten(-1, (4, 2))[flags == 1] != 0).all()


def test_without_tracks_hands_are_the_normalized_poses():
    target, other = tiny.sources()
    normalizer = Normalizer.fit(target, [other])
    assert (normalizer.tracks, normalizer.groups) == (NOTHING, ())
    hands = normalizer.hands(target.frames.ee_pose, target.frames.ee_tracks)
    assert (hands == normalizer.pose.normalize(target.frames.ee_pose)).all()
    assert set(normalizer.to_json()) == {"observation.ee_pose", "observation.state", "action"}


def test_a_normalizer_with_tracks_survives_json():
    target, other = tiny.sources()
    normalizer = Normalizer.fit(tracked(target), [tracked(other, has_pose=False)])
    again = Normalizer.from_json(normalizer.to_json())
    assert again.is_pose_optional
    assert again.groups == (10, 2, 2, 2, 2)
    assert (again.tracks.std == normalizer.tracks.std).all()


def test_a_target_shows_in_training_what_some_source_knows():
    target, other = tiny.sources()
    sources = [tracked(target), tracked(other, cameras=()), tracked(other, has_pose=False)]
    normalizer, batch = batch_of(sources)
    assert normalizer.groups == (10, 2, 2, 2, 2)
    flags = batch.target.pose[..., -5:]
    has_pose, has_tracks = flags[..., 0].amax(1) > 0, flags[..., 1:].amax((1, 2)) > 0
    assert {(bool(a), bool(b)) for a, b in zip(has_pose, has_tracks, strict=True)} == {
        (True, False),
        (False, True),
        (True, True),
    }
    assert (batch.target.pose[~has_pose][..., :10] == 0).all()
    assert (batch.target.pose == batch.target.idm_pose)[..., 10:].all()


def test_sources_that_know_the_same_are_left_as_they_are():
    target, other = (tracked(source) for source in tiny.sources())
    normalizer = Normalizer.fit(target, [other])
    known = KnownFeatures.of([target, other], normalizer)
    assert len(known.kinds) == 1
    pose = torch.ones(2, 3, normalizer.hand_size)
    assert known.alike(pose, pose, Noise.seeded(0))[0] is pose


def test_a_camera_without_tracks_is_a_hidden_point():
    target, other = tiny.sources()
    narrow = tracked(other, has_pose=False, cameras=("b",))
    sources = used([tracked(target), narrow, tracked(other, has_pose=False)])
    assert sources[1].frames.ee_tracks.shape[1] == 12
    assert (sources[1].frames.ee_tracks[:, 2:6:3] == 0).all()
    assert sources[1].frames.schema.track_cameras == ("b",)


def test_what_the_target_alone_knows_is_for_its_policy():
    target, other = tiny.sources()
    schemas = [tracked(part).frames.schema for part in (target, other)]
    schemas[1] = replace(schemas[1], has_pose=False, track_cameras=())
    assert (shared(schemas).has_pose, shared(schemas).track_cameras) == (False, ())
    assert (of_target(schemas).has_pose, of_target(schemas).track_cameras) == (True, CAMERAS)


@pytest.mark.parametrize("method", ["glam-o", "clam-o-both", "lapa-o"])
def test_every_method_learns_from_tracks_and_no_gradient_comes_from_hidden_points(method):
    config = next(c.variants()[method] for c in WORLD_MODELS.values() if method in c.variants())
    target, other = tiny.sources()
    sources = [tracked(target), tracked(other, has_pose=False)]
    normalizer, batch = batch_of(sources)
    model = config.build(sizes_of(used(sources)[0], normalizer, latent=8))
    losses = model.losses(batch, tiny.context())
    assert all(torch.isfinite(loss) for loss in losses.values())
    truth = batch.auxiliary.pose
    error = model.states.pose_error(torch.zeros_like(truth), truth)
    wild = torch.where(
        Flagged(normalizer.groups).known(truth) > 0, torch.zeros_like(truth), torch.full_like(truth, 9.0)
    )
    assert model.states.pose_error(wild, truth) == error


def test_a_model_without_poses_has_neither_tracks():
    target, other = tiny.sources()
    config = WORLD_MODELS["glam"](states=replace(MASKS, has_pose=False))
    sources = [tracked(target), tracked(other, has_pose=False)]
    normalizer, _ = batch_of(sources)
    assert config.build(sizes_of(used(sources)[0], normalizer, latent=8)).states.pose_size == 0


class _Named:
    def __init__(self, schema):
        self.root, self.schema = "some/set", schema


@pytest.mark.parametrize(
    ("its", "words"),
    [
        ({"has_pose": False}, "has no end-effector pose, which this method needs; .* add tracks"),
        ({"has_pose": False, "track_cameras": CAMERAS}, "knows its hand by tracks alone, the target by a pose"),
    ],
)
def test_sources_that_share_nothing_of_the_hand_are_refused(its, words):
    schema = tiny.sources()[0].frames.schema
    schema = replace(schema, cameras=CAMERAS)
    with pytest.raises(GlamError, match=words):
        require_alike(_Named(schema), _Named(replace(schema, **its)), needs_pose=True, needs_masks=False)
