"""The terms of the paper's objective, one function each.

Every term is a negative log-likelihood or a KL divergence: summed over dimensions (or pixels), averaged over the batch.
Likelihoods are Gaussian with unit variance up to a constant, so that a squared error carries the factor 1/2; binary
masks are Bernoulli.
"""

from torch import Tensor
from torch.nn import functional

from glam.nn.gaussian import DiagGaussian


def gaussian_error(prediction: Tensor, truth: Tensor) -> Tensor:
    """-log N(truth; prediction, I) + const, for vectors in the last dimension."""
    return 0.5 / prediction.shape[:-1].numel() * functional.mse_loss(prediction, truth, reduction="sum")


def image_error(prediction: Tensor, truth: Tensor) -> Tensor:
    """-log p(o | x) of RGB: Gaussian over all pixels and channels. (N, C, Y, X)."""
    return 0.5 / len(prediction) * functional.mse_loss(prediction, truth, reduction="sum")


def mask_error(logits: Tensor, truth: Tensor) -> Tensor:
    """-log p(o | x) of object masks: Bernoulli over all pixels and channels. (N, C, Y, X)."""
    # In closed form, and summed where the numbers lie: on a CPU faster than torch's own.
    return (functional.softplus(logits).sum() - (logits * truth).sum()) / len(logits)


def prior_kl(posterior: DiagGaussian) -> Tensor:
    """KL[q(z) || N(0, I)], of Eqs. 3 and 4."""
    return posterior.kl_to_standard().sum(-1).mean()


def alignment_kl(idm: DiagGaussian, action_encoder: DiagGaussian) -> Tensor:
    """Asymmetric alignment C_KL (Eq. 5): KL[q_idm || sg(q_action)]; the gradient reaches the IDM only."""
    return idm.kl(action_encoder.detach()).sum(-1).mean()


def symmetric_alignment_kl(idm: DiagGaussian, action_encoder: DiagGaussian) -> Tensor:
    """Eq. 5 without the stop-gradient: both posteriors are pulled towards each other."""
    return idm.kl(action_encoder).sum(-1).mean()
