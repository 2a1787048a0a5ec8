"""A trained world model, read back from its folder, the latent actions it gives to a dataset, and their decoding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from glam.core.configs import from_json, from_tagged_json, to_json
from glam.core.errors import GlamError
from glam.core.workers import Progress, no_progress
from glam.data.demonstrations import Shared, Split, episodes_of, first_difference_of, restricted
from glam.data.normalizer import Normalizer
from glam.data.schema import Schema
from glam.data.windows import FrameIndices, Frames
from glam.training import artefact
from glam.world_models import WORLD_MODELS
from glam.world_models.batches import WindowSource
from glam.world_models.method import WorldModel
from glam.world_models.parts import Sizes

KIND = "world-model"


@dataclass(frozen=True)
class WorldModelInterface:
    """Format of the data that a world model was trained on; it labels only datasets that agree with it."""

    fps: int
    cameras: tuple[str, ...]
    objects: tuple[str, ...]
    arms: tuple[str, ...]
    pixels: int
    observation: str
    action_names: tuple[str, ...] = ()
    """Of the target; empty for a model of version 0.1."""
    track_cameras: tuple[str, ...] = ()
    """Cameras of the tracks that it learnt from."""


@dataclass(frozen=True)
class TrainedWorldModel:
    """A world model with everything it needs to label and decode."""

    model: WorldModel
    normalizer: Normalizer
    interface: WorldModelInterface
    sizes: Sizes
    digest: str
    """Identifies the weights; labels made with them record it."""


def documents(normalizer: Normalizer, interface: WorldModelInterface, sizes: Sizes) -> dict[str, Any]:
    """JSON documents that a run folder keeps beside the weights."""
    return {"normalizer": normalizer.to_json(), "interface": to_json(interface), "sizes": to_json(sizes)}


def open_run(root: Path) -> artefact.Artefact:
    """The folder of a finished training."""
    found = artefact.load(root)
    if found.kind != KIND:
        raise GlamError(f"{root}: holds a {found.kind}, not a world model; give a folder made by train-world-model")
    return found


def load(root: Path) -> TrainedWorldModel:
    """Read a finished training."""
    found = open_run(root)
    sizes = from_json(Sizes, found.document("sizes"))
    config = from_tagged_json(WORLD_MODELS, found.setting("model"), f"{root}: model")
    model = found.into(lambda: config.build(sizes))
    model.eval()
    return TrainedWorldModel(
        model,
        Normalizer.from_json(found.document("normalizer")),
        from_json(WorldModelInterface, found.document("interface")),
        sizes,
        found.digest,
    )


def source_for(trained: TrainedWorldModel, name: str, frames: Frames) -> WindowSource:
    """A dataset as this world model reads it; refuses a dataset that lacks what the model was trained on."""
    interface = trained.interface
    needs_masks = interface.observation == "masks"
    difference = first_difference_of(frames.schema, interface, needs_masks=needs_masks)
    if not set(interface.cameras) <= set(frames.schema.cameras):
        difference = difference or ("cameras", frames.schema.cameras, interface.cameras)
    if difference:
        what, its, expected = difference
        raise GlamError(f"{name}: {what} is {its}, but the world model was trained on {expected}")
    _require_hand(trained, name, frames.schema)
    has_pose = bool(len(trained.normalizer.pose.mean))
    wanted = Shared(interface.cameras, has_pose, bool(interface.objects), interface.track_cameras)
    return WindowSource(
        name, restricted(frames, wanted), Split(frames.episodes, frames.episodes), interface.observation
    )


def _require_hand(trained: TrainedWorldModel, name: str, schema: Schema) -> None:
    """Refuse a dataset that knows its hand by nothing that the world model was trained with."""
    normalizer, cameras = trained.normalizer, trained.interface.track_cameras
    has_pose, has_tracks = bool(len(normalizer.pose.mean)), bool(cameras)
    if has_pose and not normalizer.is_pose_optional and not schema.has_pose:
        raise GlamError(f"{name}: has no end-effector pose, but the world model was trained with one")
    is_known = (has_pose and schema.has_pose) or bool(set(cameras) & set(schema.track_cameras))
    if has_tracks and not is_known:
        raise GlamError(f"{name}: has no tracks in {' or '.join(cameras)}, but the world model was trained with them")


@torch.no_grad()
def label_episode(trained: TrainedWorldModel, source: WindowSource, frames: FrameIndices) -> NDArray[np.float32]:
    """Latent action of each transition of one episode. (T,) -> (T - 1, d)."""
    return trained.model.label(source.windows(frames[None], trained.normalizer))[0].numpy()


def label_all(
    trained: TrainedWorldModel,
    source: WindowSource,
    progress: Progress = no_progress,
    skipped: Sequence[int] = (),
    episodes: range | None = None,
) -> NDArray[np.float32]:
    """Latent action of every transition of a dataset, in the order of `transitions`; zeros if skipped. (M, d).

    Of some episodes only, if they are given.
    """
    every = episodes_of(source.frames.episodes)
    chosen = range(len(every)) if episodes is None else episodes
    left_out = frozenset(skipped)

    def labels() -> Iterator[NDArray[np.float32]]:
        for number, index in enumerate(chosen, start=1):
            frames, is_skipped = every[index], index in left_out
            nothing = np.zeros((len(frames) - 1, trained.sizes.latent), np.float32)
            yield nothing if is_skipped else label_episode(trained, source, frames)
            progress(number, len(chosen))

    return np.concatenate(list(labels()))


@torch.no_grad()
def decode_actions(trained: TrainedWorldModel, latents: NDArray[np.float32]) -> NDArray[np.float32]:
    """p(a | z): robot actions in their own units. (M, d) -> (M, n_a)."""
    decoder = trained.model.action_decoder
    if decoder is None:
        raise GlamError("this world model learns no action decoder; fit one to labelled transitions with fit_decoder")
    return trained.normalizer.action.denormalize(decoder(torch.from_numpy(latents)).numpy())
