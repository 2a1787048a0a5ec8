"""Latent actions for every transition of a dataset, and robot actions decoded from them."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.progress import Progress, no_progress
from glam.data.demonstrations import episodes_of
from glam.data.frames import Frames
from glam.data.sharing import Shared, first_difference_of, restricted
from glam.data.splits import Split
from glam.data.windows import FrameIndices
from glam.world_models.runs import TrainedWorldModel
from glam.world_models.window_sources import WindowSource


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
    if trained.sizes.pose and not frames.schema.has_pose:
        raise GlamError(f"{name}: has no end-effector pose, but the world model was trained with one")
    wanted = Shared(interface.cameras, bool(trained.sizes.pose), bool(interface.objects))
    return WindowSource(
        name, restricted(frames, wanted), Split(frames.episodes, frames.episodes), interface.observation
    )


@torch.no_grad()
def label_episode(trained: TrainedWorldModel, source: WindowSource, frames: FrameIndices) -> NDArray[np.float32]:
    """Latent action of each transition of one episode. (T,) -> (T - 1, d)."""
    latents: NDArray[np.float32] = trained.model.label(source.windows(frames[None], trained.normalizer))[0].numpy()
    return latents


def label_all(
    trained: TrainedWorldModel, source: WindowSource, progress: Progress = no_progress
) -> NDArray[np.float32]:
    """Latent action of every transition of a dataset, in the order of `transitions`. (M, d)."""
    episodes = episodes_of(source.frames.episodes)

    def labels() -> Iterator[NDArray[np.float32]]:
        for number, frames in enumerate(episodes, start=1):
            yield label_episode(trained, source, frames)
            progress(number, len(episodes))

    return np.concatenate(list(labels()))


@torch.no_grad()
def decode_actions(trained: TrainedWorldModel, latents: NDArray[np.float32]) -> NDArray[np.float32]:
    """p(a | z): robot actions in their own units. (M, d) -> (M, n_a)."""
    decoder = trained.model.action_decoder
    if decoder is None:
        raise GlamError("this world model learns no action decoder; fit one to labelled transitions with fit_decoder")
    return trained.normalizer.action.denormalize(decoder(torch.from_numpy(latents)).numpy())
