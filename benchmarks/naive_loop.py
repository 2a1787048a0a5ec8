"""GLAM's objective (Eqs. 1-6) as the paper states it, in plain PyTorch: what `world_model.py` compares with.

Independent transitions, each frame that one needs encoded for itself, and its pair of frames reconstructed, target and
auxiliary transitions one after the other, images and weights in the default memory format, layers, optimiser and
clipping as PyTorch provides them.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from glam.nn.gaussian import DiagGaussian
from glam.nn.layers import ResMLP
from glam.stages.train_world_model import WorldModelConfig
from glam.training.learner import weighted_sum
from glam.world_models.batches import LabelledWindows, MixedBatch, Windows
from glam.world_models.glam import Glam

ModuleT = TypeVar("ModuleT", bound=nn.Module)


def naive_step(model: Glam, batch: MixedBatch, config: WorldModelConfig) -> Callable[[], None]:
    """A training step on a batch of transitions: windows of two frames, and those that the IDM sees besides."""
    in_plain_torch(model)
    optimiser = torch.optim.AdamW(model.parameters(), config.fit.learning_rate, weight_decay=config.fit.weight_decay)

    def step() -> None:
        optimiser.zero_grad()
        weighted_sum(naive_losses(model, batch), model.weights).backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.fit.grad_clip)
        optimiser.step()

    return step


def in_plain_torch(model: nn.Module) -> None:
    """Undo what our networks do about memory formats, products of matrices and autograd's graph."""
    model.to(memory_format=torch.contiguous_format)
    _replace(model, nn.Linear, _plain_linear)
    _replace(model, ResMLP, lambda network: nn.Sequential(OrderedDict(network.named_children())))


def _replace(model: nn.Module, kind: type[ModuleT], make: Callable[[ModuleT], nn.Module]) -> None:
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, kind):
                setattr(module, name, make(child))


def _plain_linear(layer: nn.Linear) -> nn.Linear:
    plain = nn.Linear(layer.in_features, layer.out_features)
    plain.load_state_dict(layer.state_dict())
    return plain


def naive_losses(model: Glam, batch: MixedBatch) -> dict[str, Tensor]:
    """The terms of Eq. 6: means over all pairs of Eq. 3, and over the target's of Eqs. 4 and 5."""
    shares = [len(part.pose) / sum(batch.sizes) for part in (batch.target, batch.auxiliary)]
    seen = _inferred(model, batch.target)
    own = _heterogeneous(model, batch.target, seen)
    others = _heterogeneous(model, batch.auxiliary, _inferred(model, batch.auxiliary))
    both = {name: shares[0] * own[name] + shares[1] * others[name] for name in own}
    return both | _target(model, batch.target, seen)


class _Inferred(NamedTuple):
    """Both states of each transition, and the IDM's posterior between them."""

    y: Tensor
    pose: Tensor
    y_next: Tensor
    pose_next: Tensor
    posterior: DiagGaussian


def _inferred(model: Glam, pairs: Windows) -> _Inferred:
    features = [_encoded(model, pairs.image[:, t]) for t in range(model.config.idm_frames)]
    posterior = model.idm(*(torch.cat([y, pairs.idm_pose[:, t]], -1) for t, y in enumerate(features)))
    return _Inferred(features[0], pairs.pose[:, 0], features[1], pairs.pose[:, 1], posterior)


def _heterogeneous(model: Glam, pairs: Windows, seen: _Inferred) -> dict[str, Tensor]:
    """-J_H (Eq. 3)."""
    y, pose, y_next, pose_next, posterior = seen
    predicted, predicted_pose = model.forward_model(y, pose, _sample(posterior))
    images = [_image_error(model, feature, pairs.image[:, t]) for t, feature in enumerate((y, y_next))]
    return {
        "reconstruction": (images[0] + images[1]) / 2,
        "forward_feature": _squared(predicted, y_next.detach()),
        "forward_pose": _squared(predicted_pose, pose_next),
        "idm_prior": posterior.kl_to_standard().sum(-1).mean(),
    }


def _target(model: Glam, pairs: LabelledWindows, seen: _Inferred) -> dict[str, Tensor]:
    """-J_T (Eq. 4) and the alignment (Eq. 5)."""
    y, pose, y_next, pose_next, inferred = seen
    s, a, s_next = pairs.state[:, 0], pairs.action[:, 0], pairs.state[:, 1]
    posterior = model.action_encoder(s, a)
    z = _sample(posterior)
    predicted, predicted_pose = model.forward_model(y, pose, z)
    return {
        "proprio": _squared(model.proprio_forward(s, z), s_next),
        "action": _squared(model.action_decoder(z), a),
        "action_prior": posterior.kl_to_standard().sum(-1).mean(),
        "grounded_feature": _squared(predicted, y_next.detach()),
        "grounded_pose": _squared(predicted_pose, pose_next),
        "alignment": inferred.kl(posterior.detach()).sum(-1).mean(),
    }


def _sample(posterior: DiagGaussian) -> Tensor:
    return posterior.mean + posterior.standard_deviation * torch.randn_like(posterior.mean)


def _encoded(model: Glam, image: Tensor) -> Tensor:
    encoder = model.states.encoder
    feature: Tensor = encoder.normalize(encoder.project(encoder.convolutions(image.contiguous()).flatten(1)))
    return feature


def _image_error(model: Glam, feature: Tensor, image: Tensor) -> Tensor:
    decoder = model.states.decoder
    found = decoder.convolutions(decoder.unflatten(decoder.expand(feature)))
    if model.states.config.observation == "masks":
        return functional.binary_cross_entropy_with_logits(found, image, reduction="sum") / len(image)
    return 0.5 * functional.mse_loss(found, image, reduction="sum") / len(image)


def _squared(prediction: Tensor, truth: Tensor) -> Tensor:
    return 0.5 * ((prediction - truth) ** 2).sum(-1).mean()
