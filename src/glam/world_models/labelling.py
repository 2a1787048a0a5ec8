"""Labels for every transition of a dataset, and actions decoded from them."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from glam.core.errors import GlamError
from glam.core.progress import Progress, no_progress
from glam.data.frames import Frames
from glam.data.sharing import Shared, restricted
from glam.data.splits import Split
from glam.world_models.clam import Clam
from glam.world_models.glam import Glam
from glam.world_models.registry import TrainedWorldModel
from glam.world_models.sources import Rows, Source, episodes_of


def source_for(trained: TrainedWorldModel, name: str, frames: Frames) -> Source:
    """The frames of a dataset as this world model reads them; refuses a dataset that lacks what it was trained on."""
    interface = trained.interface
    for what in ("fps", "arms", "objects"):
        theirs, ours = getattr(frames.schema, what), getattr(interface, what)
        if theirs != ours and (what != "objects" or interface.observation == "masks"):
            raise GlamError(f"{name}: {what} is {theirs}, but the world model was trained on {ours}")
    if not set(interface.cameras) <= set(frames.schema.cameras):
        theirs, ours = frames.schema.cameras, interface.cameras
        raise GlamError(f"{name}: cameras is {theirs}, but the world model was trained on {ours}")
    if trained.sizes.pose and not frames.schema.has_pose:
        raise GlamError(f"{name}: has no end-effector pose, with which the world model was trained")
    wanted = Shared(interface.cameras, bool(trained.sizes.pose), bool(interface.objects))
    return Source(name, restricted(frames, wanted), Split(frames.episodes, frames.episodes), interface.observation)


@torch.no_grad()
def label_episode(trained: TrainedWorldModel, source: Source, rows: Rows) -> NDArray[np.float32]:
    """Latent action of each transition of one episode. (T,) -> (T - 1, d)."""
    latents: NDArray[np.float32] = trained.model.label(source.windows(rows[None], trained.normalizer))[0].numpy()
    return latents


def label_all(trained: TrainedWorldModel, source: Source, progress: Progress = no_progress) -> NDArray[np.float32]:
    """Latent action of every transition of a dataset, in the order of `transitions`. (M, d)."""
    episodes = episodes_of(source.frames.episodes)

    def labels() -> Iterator[NDArray[np.float32]]:
        for number, rows in enumerate(episodes, start=1):
            yield label_episode(trained, source, rows)
            progress(number, len(episodes))

    return np.concatenate(list(labels()))


@torch.no_grad()
def decode_actions(trained: TrainedWorldModel, latents: NDArray[np.float32]) -> NDArray[np.float32]:
    """p(a | z): robot actions in their own units. (M, d) -> (M, n_a)."""
    if not isinstance(trained.model, Glam | Clam):
        raise GlamError("this world model learns no action decoder; fit one to labelled transitions with fit_decoder")
    decoded = trained.model.action_decoder(torch.from_numpy(latents)).numpy()
    return trained.normalizer.action.denormalize(decoded)
