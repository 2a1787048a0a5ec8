"""Training batches of a world model: windows of one target source and any number of auxiliary ones.

Labelled and unlabelled windows are different types.

Dimension key: B windows of T consecutive frames, C channels (all views stacked), Y x X pixels, p pose entries,
n_s state and n_a action entries, d latent entries. Index law: `action[:, t]` takes frame t to frame t + 1.

For an IDM that sees more than two frames, the windows of a batch are longer by those that it sees alone: their last
`TrainingView.frames_ahead` frames are neither reconstructed nor predicted, and their actions not learnt.

The pose of a window is all that is known of the hands, see `glam.data.normalizer`.

Images may be augmented in training; labels are always made from images as recorded.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from glam.core.errors import GlamError
from glam.data.demonstrations import Demonstrations, MixedSampler
from glam.data.normalizer import Normalizer
from glam.data.schema import POSE_SIZE, rotated
from glam.data.windows import FrameIndices, LabelledFrames, held_windows, windows
from glam.nn.gaussian import Noise
from glam.nn.layers import ImageShape
from glam.training.batches import concatenated
from glam.training.reproducibility import seed_of
from glam.world_models.known_features import KnownFeatures
from glam.world_models.parts import Sizes

_BINOMIAL = torch.tensor([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]) / 16
_GREY = 0.5


@dataclass(frozen=True)
class Augmentation:
    """Random changes of images, drawn once for each window and the same for all its frames; 0 for none.

    What a window is reconstructed to is changed like what is seen of it. Values may leave the range 0..1.
    """

    gain: float = 0.0
    """Each channel is multiplied by a number in 1 +- gain."""
    contrast: float = 0.0
    """All channels are stretched about the middle grey by a number in 1 +- contrast."""
    offset: float = 0.0
    """A number in +- offset is added to each channel, whose values lie in 0..1."""
    blur: float = 0.0
    """Largest weight, at most 1, of the image after a 3 x 3 blur."""
    noise: float = 0.0
    """Largest standard deviation of noise on each pixel and frame."""
    cut_out: float = 0.0
    """Side of a grey square at a random place in every channel, as a share of the image's side."""

    def applied(self, image: Tensor, noise: Noise) -> Tensor:
        """Images of the same shape. (B, T, C, Y, X) in 0..1."""
        if not any(astuple(self)):
            return image
        image = self._recoloured(image, noise)
        if self.blur:
            weight = self.blur * _per_window(noise.uniform(len(image)))
            image = torch.lerp(image, _smoothed(image), weight)
        if self.noise:
            image = image + self.noise * _per_window(noise.uniform(len(image))) * noise.normal(*image.shape)
        return self._cut(image, noise) if self.cut_out else image

    def _recoloured(self, image: Tensor, noise: Noise) -> Tensor:
        windows, channels = len(image), image.shape[2]
        gain = 1.0 + self.gain * _signed(noise.uniform(windows, channels))
        contrast = 1.0 + self.contrast * _signed(noise.uniform(windows, 1))
        offset = self.offset * _signed(noise.uniform(windows, channels))
        # gain * (grey + contrast * (image - grey)) + offset, as one product and one sum
        slope, shift = gain * contrast, gain * _GREY * (1.0 - contrast) + offset
        return image * slope[:, None, :, None, None] + shift[:, None, :, None, None]

    def _cut(self, image: Tensor, noise: Noise) -> Tensor:
        places = noise.uniform(len(image), 2)
        rows, columns = (
            _within(place, size, self.cut_out) for place, size in zip(places.T, image.shape[3:], strict=True)
        )
        square = rows[:, None, None, :, None] & columns[:, None, None, None, :]
        return image.masked_fill(square, _GREY)


NO_AUGMENTATION = Augmentation()
COLOURS = Augmentation(gain=0.5, contrast=0.5, offset=0.3)
"""For RGB: rooms, lights and bodies of other colours. Quick trials chose it; see docs/method/glam.md."""


def _signed(uniform: Tensor) -> Tensor:
    return 2.0 * uniform - 1.0


def _per_window(values: Tensor) -> Tensor:
    return values.view(-1, 1, 1, 1, 1)


def _smoothed(image: Tensor) -> Tensor:
    channels = image.shape[2]
    padded = functional.pad(image.flatten(0, 1), (1, 1, 1, 1), mode="replicate")
    kernel = _BINOMIAL.to(image.device).expand(channels, 1, 3, 3)
    return functional.conv2d(padded, kernel, groups=channels).view(image.shape)


def _within(place: Tensor, size: int, share: float) -> Tensor:
    """The pixels of a row or column that a square covers, whose place in 0..1 is `place`. (B,) -> (B, size)."""
    side = share * size
    first = place[:, None] * (size - side)
    pixels = torch.arange(size, device=place.device) + 0.5
    return (pixels >= first) & (pixels < first + side)


@dataclass(frozen=True)
class Windows:
    """Windows of frames of any source."""

    image: Tensor
    """(B, T, C, Y, X) in 0..1: RGB or object masks."""
    pose: Tensor
    """(B, T, p) normalized end-effector poses and tracks, with flags for what may be unknown."""
    idm_pose: Tensor
    """(B, T, p) the same poses as GLAM's IDM sees them: in training with rotation noise, otherwise equal to `pose`."""


@dataclass(frozen=True)
class LabelledWindows(Windows):
    """Windows of the target robot."""

    state: Tensor
    """(B, T, n_s) normalized."""
    action: Tensor
    """(B, T, n_a) normalized; the last action of a window leads out of it."""

    def unlabelled(self) -> Windows:
        """The same windows without robot state and action."""
        return Windows(self.image, self.pose, self.idm_pose)


WindowsT = TypeVar("WindowsT", bound=Windows)


@dataclass(frozen=True)
class MixedBatch:
    """One training batch: target and auxiliary windows."""

    target: LabelledWindows
    auxiliary: Windows

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of target windows and of auxiliary windows."""
        return len(self.target.pose), len(self.auxiliary.pose)

    def every(self) -> Windows:
        """All windows, the target's first."""
        return concatenated([self.target.unlabelled(), self.auxiliary])


@dataclass(frozen=True)
class WindowSource(Demonstrations):
    """One dataset, as a world model reads it."""

    observation: str
    """`images` or `masks`: the images that are the observation."""

    def image(self, frames: FrameIndices) -> Tensor:
        """All views stacked as channels, in 0..1. (..., C, Y, X)."""
        stores = self.frames.masks if self.observation == "masks" else self.frames.images
        views = [store[frames] for store in stores.values()]  # (..., Y, X, c) each
        stacked = torch.from_numpy(np.concatenate(views, axis=-1)).movedim(-1, -3)
        return stacked.to(torch.float32).div_(255.0)

    def windows(self, frames: FrameIndices, normalizer: Normalizer) -> Windows:
        """Windows of the given frames (B, T), with exact poses."""
        pose = torch.from_numpy(normalizer.hands(self.frames.ee_pose[frames], self.frames.ee_tracks[frames]))
        return Windows(self.image(frames), pose, idm_pose=pose)

    def noisy_pose(self, frames: FrameIndices, normalizer: Normalizer, degrees: float, noise: Noise) -> Tensor:
        """Normalized poses of the given frames (B, T) with rotation noise about each axis; `degrees` is its std."""
        poses = self.frames.ee_pose[frames]
        vectors = np.radians(degrees) * noise.normal(*frames.shape, poses.shape[-1] // POSE_SIZE, 3).numpy()
        return torch.from_numpy(normalizer.hands(rotated(poses, vectors), self.frames.ee_tracks[frames]))


@dataclass(frozen=True)
class LabelledWindowSource(WindowSource):
    """The labelled dataset."""

    frames: LabelledFrames

    def labelled_windows(self, frames: FrameIndices, normalizer: Normalizer) -> LabelledWindows:
        """Windows of the given frames (B, T), with state and action."""
        found = self.windows(frames, normalizer)
        state = torch.from_numpy(normalizer.state.normalize(self.frames.state[frames]))
        action = torch.from_numpy(normalizer.action.normalize(self.frames.action[frames]))
        return LabelledWindows(found.image, found.pose, found.idm_pose, state, action)


@dataclass(frozen=True)
class WindowBatchConfig:
    """Size of a batch."""

    frames: int = 8
    """Length T of a window."""
    target_windows: int = 8
    auxiliary_windows: int = 8


@dataclass(frozen=True)
class TrainingView:
    """Changes that training makes to the windows of the datasets."""

    frames_ahead: int = 0
    """Further frames after each window, for the IDM; at the end of an episode its last frame is repeated."""
    idm_rotation_noise: float = 0.0
    """Standard deviation, in degrees, of the rotation noise about each axis of the poses that the IDM sees."""
    augmentation: Augmentation = NO_AUGMENTATION
    """Changes of the images."""


AS_RECORDED = TrainingView()


class MixedBatches:
    """The batch of each step: a pure function of seed and step.

    Auxiliary sources share their part of the batch by their size, and each has at least one window.
    """

    def __init__(
        self,
        target: LabelledWindowSource,
        auxiliary: Sequence[WindowSource],
        normalizer: Normalizer,
        config: WindowBatchConfig,
        seed: int,
        view: TrainingView = AS_RECORDED,
    ) -> None:
        self._target, self._auxiliary, self._normalizer, self._config = target, auxiliary, normalizer, config
        self._seed, self._view = seed, view
        self._known = KnownFeatures.of((target, *auxiliary), normalizer)
        starts = [_starts(source, config.frames) for source in auxiliary]
        count = max(config.auxiliary_windows, len(auxiliary))
        self._sampler = MixedSampler(_starts(target, config.frames), starts, config.target_windows, count, seed)

    def __call__(self, step: int) -> MixedBatch:
        """The batch of `step`."""
        # The label of this stream is that of version 0.1: another one would change the numbers of every training.
        turns = Noise.seeded(seed_of(self._seed, "turned poses", step))  # old word
        colours = Noise.seeded(seed_of(self._seed, "augmentation", step))
        view, normalizer = self._view, self._normalizer

        def as_seen(source: WindowSource, windows: WindowsT, frames: FrameIndices) -> WindowsT:
            pose = source.noisy_pose(frames, normalizer, view.idm_rotation_noise, turns)
            return replace(windows, image=view.augmentation.applied(windows.image, colours), idm_pose=pose)

        target_starts, auxiliary_starts = self._sampler.indices(step)
        frames = self._frames(self._target, target_starts)
        target = as_seen(self._target, self._target.labelled_windows(frames, normalizer), frames)
        parts: list[Windows] = []
        for source, starts in zip(self._auxiliary, auxiliary_starts, strict=True):
            frames = self._frames(source, starts)
            parts.append(as_seen(source, source.windows(frames, normalizer), frames))
        kinds = Noise.seeded(seed_of(self._seed, "known features", step))
        pose, idm_pose = self._known.alike(target.pose, target.idm_pose, kinds)
        return MixedBatch(replace(target, pose=pose, idm_pose=idm_pose), concatenated(parts))

    def _frames(self, source: WindowSource, starts: FrameIndices) -> FrameIndices:
        return held_windows(source.train, starts, self._config.frames + self._view.frames_ahead)


def sizes_of(target: LabelledWindowSource, normalizer: Normalizer, latent: int) -> Sizes:
    """Sizes of the networks' inputs and outputs."""
    channels, height, width = target.image(np.array([0]))[0].shape
    image = ImageShape(channels, height, width)
    schema = target.frames.schema
    state, action = len(schema.state_names), len(schema.action_names)
    return Sizes(image, normalizer.hand_size, state, action, latent, normalizer.groups)


def _starts(source: WindowSource, length: int) -> FrameIndices:
    try:
        return windows(source.train, length)
    except GlamError as error:
        raise GlamError(f"{source.name}: {error}") from None
