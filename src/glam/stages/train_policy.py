"""`glam train-policy`: stage 2. `latent` and `retarget` learn from all sources, `mip` and `direct` from the target."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glam.core.configs import from_json, to_json
from glam.core.errors import GlamError
from glam.core.files import read_json
from glam.core.workers import Progress
from glam.data.cache import decoded
from glam.data.demonstrations import Reading, Shared, of_target, shared_features
from glam.data.latents import LatentsProvenance, read_latents
from glam.data.normalizer import Normalizer
from glam.data.reader import Dataset
from glam.data.skipping import SkipList, without
from glam.data.windows import labelled
from glam.policies import trained
from glam.policies.doubt import fit_doubt
from glam.policies.encoders.inputs import EncoderInputs
from glam.policies.observation import ObservationSizes
from glam.policies.sources import (
    ActionBatches,
    BatchPlan,
    HeldOut,
    LabelledPolicySource,
    LatentBatches,
    PolicySource,
    RelabelledSource,
    RetargetedBatches,
    held_out_error,
    latent_normalizer,
)
from glam.stages.policy_inputs import LATENT, RETARGET, Inputs, check_inputs
from glam.stages.relabel import FOLDER, relabel
from glam.stages.retarget import retarget
from glam.stages.train_world_model import Callbacks, WorldModelConfig
from glam.training import artefact
from glam.training.batches import joined
from glam.training.fit import fit
from glam.training.learner import FitConfig
from glam.training.metrics import opener
from glam.training.recorder import Hooks
from glam.training.reproducibility import seed_initialisation
from glam.world_models import runs
from glam_client.pose_conversion import PoseRecipe, recipe_in

HELD_OUT = "held_out"
"""Document of a run: prediction errors on the target's held-out episodes."""


@dataclass(frozen=True)
class TrainPolicyConfig:
    """Everything that shapes a policy."""

    method: str
    """`latent`, `mip`, `direct` or `retarget`."""
    policy: trained.PolicyConfig
    batch_size: int = 64
    target_share: float = 0.5
    """Share of target samples in a batch, where there are other sources."""
    held_out: float = 0.1
    """Fraction of each source's episodes that are held out."""
    split_seed: int = 0
    """Seed of that split. `train_policy` sets both: to those of the world model, or else the seed to `fit.seed`."""
    fit: FitConfig = FitConfig()


@dataclass(frozen=True)
class _Job:
    """A training, ready to start."""

    batches: Callable[[int], Any]
    target: LabelledPolicySource
    others: Sequence[PolicySource]
    normalizer: Normalizer
    digests: dict[str, str]
    latent: int = 0
    """Entries of a latent action; 0 for a direct policy."""
    documents: Mapping[str, Any] = field(default_factory=dict)
    """Further documents of the run folder, by name."""


def train_policy(config: TrainPolicyConfig, inputs: Inputs, out: Path, callbacks: Callbacks = Callbacks()) -> Path:
    """Train in `out`, or resume an interrupted run of the same command there; returns `out`."""
    check_inputs(config.method, config.policy, inputs, out)
    config = _with_split(config, inputs.world_model)
    artefact.require_same_config(out, trained.KIND, config)
    encoder_inputs = EncoderInputs(config.policy.observation.encoder, inputs.encoder_weights, config.fit.device)
    job = _job(config, inputs, encoder_inputs, callbacks.decoding)
    description = artefact.RunDescription(trained.KIND, config, config.fit.seed, job.digests, tuple(sys.argv))
    with joined(config.fit.device) as processes, artefact.opened(out, description, processes):
        if artefact.is_finished(out):
            return out
        seed_initialisation(config.fit.seed)
        sizes = _sizes(job)
        policy = trained.build(config.policy, sizes)
        encoder_inputs.initialize(policy.observation.encoder)
        hooks = Hooks(progress=callbacks.training, sinks=tuple(opener(name, out, config) for name in callbacks.loggers))
        weights = fit(policy, job.batches, config.fit, out, hooks, processes)
        if processes.is_first:
            interface = _interface(config, inputs.target, job.target)
            documents = trained.documents(job.normalizer, interface, sizes)
            documents[HELD_OUT] = to_json(held_out_error(policy, job.target, job.normalizer))
            documents[trained.DOUBT] = fit_doubt(policy, (job.target, *job.others), job.normalizer).to_json()
            artefact.finish(out, {**weights, **encoder_inputs.frozen_weights()}, {**documents, **job.documents})
    return out


def held_out_words(run: Path) -> list[str]:
    """Sentences about the errors of a finished policy on held-out episodes; none for a run without them."""
    if not (path := run / f"{HELD_OUT}.json").exists():
        return []
    found = from_json(HeldOut, read_json(path))
    words = [
        f"held-out action error: {found.action_error:.2f} x the actions' variance (1.0 = always predicting the mean), "
        f"first action {found.first_action_error:.2f}, {found.frames} frames",
        "held-out error does not rank policies by success: evaluate them",
    ]
    keypoints = f"held-out keypoint error of the encoder: {found.keypoint_error:.2f} pixels"
    return [*words, keypoints] if found.keypoint_error else words


def _with_split(config: TrainPolicyConfig, world_model: Path | None) -> TrainPolicyConfig:
    """Hold out the episodes that the world model holds out; without one the training's own seed chooses them."""
    if world_model is None:
        return replace(config, split_seed=config.fit.seed)
    model = from_json(WorldModelConfig, runs.open_run(world_model).config)
    return replace(config, held_out=model.held_out, split_seed=model.fit.seed)


def _job(config: TrainPolicyConfig, inputs: Inputs, encoder_inputs: EncoderInputs, progress: Progress) -> _Job:
    if config.policy.kind == LATENT:
        return _latent_job(config, inputs, encoder_inputs, progress)
    return (_retarget_job if config.method == RETARGET else _direct_job)(config, inputs, encoder_inputs, progress)


def _direct_job(config: TrainPolicyConfig, inputs: Inputs, encoder_inputs: EncoderInputs, progress: Progress) -> _Job:
    target = _target(config, inputs, _common(config, inputs.target), encoder_inputs, progress)
    normalizer = Normalizer.fit(target, [])
    batches = ActionBatches(target, normalizer, config.policy.head.chunk_size, config.batch_size, config.fit.seed)
    return _Job(batches, target, (), normalizer, {"target": target.frames.content_id} | inputs.skips)


def _latent_job(config: TrainPolicyConfig, inputs: Inputs, encoder_inputs: EncoderInputs, progress: Progress) -> _Job:
    assert inputs.world_model is not None  # `check_inputs` has refused that
    common = _common(config, inputs.target, *inputs.auxiliary)
    target = _target(config, inputs, common, encoder_inputs, progress)
    others = [_source(config, root, inputs.skipped, common, encoder_inputs, progress) for root in inputs.auxiliary]
    sources = (target, *others)
    roots = (inputs.target, *inputs.auxiliary)
    model = inputs.world_model
    latents = [_latents(model, root, source, inputs.skipped) for root, source in zip(roots, sources, strict=True)]
    norm = latent_normalizer(latents, [source.train for source in sources])
    normalizer = Normalizer.fit(target, others)
    parts = [RelabelledSource(source, norm.normalize(values)) for source, values in zip(sources, latents, strict=True)]
    batches = LatentBatches((target, parts[0]), parts[1:], normalizer, _plan(config), config.fit.seed)
    digests = {str(number): source.frames.content_id for number, source in enumerate(sources)} | inputs.skips
    digests["world_model"] = runs.load(inputs.world_model).digest
    return _Job(batches, target, others, normalizer, digests, latent=latents[0].shape[1])


def _retarget_job(config: TrainPolicyConfig, inputs: Inputs, encoder_inputs: EncoderInputs, progress: Progress) -> _Job:
    common = _common(config, inputs.target, *inputs.auxiliary)
    if not all(Dataset.open(root).schema.has_pose for root in (inputs.target, *inputs.auxiliary)):
        raise GlamError("retarget: not all datasets have an end-effector pose, whose path becomes actions of the robot")
    target = _target(config, inputs, common, encoder_inputs, progress)
    others = [_source(config, root, inputs.skipped, common, encoder_inputs, progress) for root in inputs.auxiliary]
    found = retarget(inputs.target, target, others, progress, inputs.robot)
    normalizer = Normalizer.fit(target, [part.source for part in found.sources])
    parts = [RelabelledSource(part.source, normalizer.action.normalize(part.actions)) for part in found.sources]
    batches = RetargetedBatches(target, parts, normalizer, _plan(config), config.fit.seed)
    digests = {"target": target.frames.content_id} | inputs.skips
    for number, part in enumerate(found.sources, start=1):
        digests |= {str(number): part.source.frames.content_id, f"{number} retargeted": part.digest}
    others = [part.source for part in found.sources]
    return _Job(batches, target, others, normalizer, digests, documents={"retarget": found.report})


def _plan(config: TrainPolicyConfig) -> BatchPlan:
    target = round(config.batch_size * config.target_share)
    return BatchPlan(config.policy.head.chunk_size, target, config.batch_size - target)


@dataclass(frozen=True)
class _Common:
    """Features that a policy learns from: cameras that all datasets have, and what the target knows of its hand."""

    seen: Shared
    objects: tuple[str, ...]
    """Objects of the target's masks, which give keypoints for the keypoint loss; none without that loss."""

    def of(self, dataset: Dataset) -> Shared:
        """Features to read from a dataset."""
        return replace(self.seen, has_masks=dataset.schema.objects == self.objects)

    @property
    def keypoints(self) -> int:
        """Numbers of the keypoint loss: two for each object and view."""
        return 2 * len(self.objects) * len(self.seen.cameras)


def _common(config: TrainPolicyConfig, *roots: Path) -> _Common:
    datasets = [Dataset.open(root) for root in roots]
    return _Common(
        shared_features(datasets, of_target), datasets[0].schema.objects if config.policy.keypoint_weight else ()
    )


def _source(
    config: TrainPolicyConfig,
    root: Path,
    skipped: SkipList,
    common: _Common,
    encoder_inputs: EncoderInputs,
    progress: Progress,
) -> PolicySource:
    pixels, workers = config.policy.observation.encoder.pixels, config.fit.threads
    dataset = Dataset.open(root)
    reading = Reading(pixels, config.held_out, config.split_seed, workers)
    found = without(reading.open(dataset, common.of(dataset), progress), skipped.of(dataset))
    # Features of a frozen backbone are stored for all views, whichever of them this training shares.
    read_inputs = encoder_inputs.reader(decoded(dataset, pixels, workers=workers), progress)
    return PolicySource(found.name, found.frames, found.split, read_inputs, common.keypoints)


def _target(
    config: TrainPolicyConfig, inputs: Inputs, common: _Common, encoder_inputs: EncoderInputs, progress: Progress
) -> LabelledPolicySource:
    found = _source(config, inputs.target, inputs.skipped, common, encoder_inputs, progress)
    frames = labelled(found.frames, found.name)
    return LabelledPolicySource(found.name, frames, found.split, found.read_inputs, found.keypoint_size)


def _latents(world_model: Path, root: Path, source: PolicySource, skipped: SkipList) -> NDArray[np.float32]:
    """Latents of a dataset, made now if they are not beside the world model yet."""
    path = world_model / FOLDER / f"{source.frames.content_id[:16]}.parquet"
    if not path.exists():
        relabel(world_model, root)
    provenance = LatentsProvenance(source.frames.content_id, runs.load(world_model).digest, "")
    return read_latents(path, source.frames.episodes, provenance, skipped.of(Dataset.open(root)))


def _sizes(job: _Job) -> trained.PolicySizes:
    schema, normalizer = job.target.frames.schema, job.normalizer
    observation = ObservationSizes(
        len(schema.cameras),
        normalizer.hand_size,
        len(schema.state_names),
        job.target.keypoint_size,
        normalizer.groups,
    )
    return trained.PolicySizes(observation, job.latent, len(schema.action_names))


def _interface(config: TrainPolicyConfig, root: Path, target: LabelledPolicySource) -> trained.PolicyInterface:
    schema = target.frames.schema
    return trained.PolicyInterface(
        fps=schema.fps,
        cameras=schema.cameras,
        pixels=config.policy.observation.encoder.pixels,
        state_names=schema.state_names,
        action_names=schema.action_names,
        delta_actions=schema.delta_actions,
        task=Dataset.open(root).task,
        poses=recipe_in(Dataset.open(root).provenance) if schema.has_pose else PoseRecipe(),
        track_cameras=schema.track_cameras,
    )
