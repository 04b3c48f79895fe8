r"""LfF: a second network learns the easy way out on purpose, and what it finds hard is weighted up for the first.

    biased net:  GCE_q = (1 - p_y^q) / q        model:  mean w W l,   W_i = l_b / (l_b + l + 1e-8)   (held fixed)

q: `q`. The biased network is a linear model beside the study's architecture with the same optimiser; equal losses give
W = 1/2, so the loss is multiplied by 2 to keep the step size of ERM.
Departures: as in the common benchmark there is no running average of losses per row and no division by the class
maximum; the biased network is linear whatever the architecture (a simpler model finds shortcuts first), and its
gradient is that of GCE itself.
Reference: Nam, Cha, Ahn, Lee, Shin, Learning from failure, NeurIPS 2020.

>>> import torch
>>> [round(v, 3) for v in share(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0])).tolist()]
[0.5, 0.75]
"""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import softmax

from core.nn.head import cross_entropy, draw_linear, logits, weighted_mean
from core.types import Method, Param


def share(biased: Tensor, own: Tensor) -> Tensor:
    """(B,), (B,) losses -> (B,) weights in [0, 1]: large where the biased network fails and the model does not."""
    return biased / (biased + own + 1e-8)


def generalised(z: Tensor, t: Tensor, q: Tensor | float) -> Tensor:
    """(B, C) logits and one-hot -> (B,) generalised cross-entropy; q -> 0 is cross-entropy, q = 1 is 1 - p."""
    p = (softmax(z, dim=-1) * t).sum(-1).clamp(min=1e-7)
    return (1 - p**q) / q


def init(info, hp, gen):
    """The biased network: "easy.w" (D, C), "easy.b" (C,)."""
    w, b = draw_linear(gen, info.n_features, info.n_classes)
    return {"easy.w": w, "easy.b": b}, {}


def loss(net, weights, state, batch, hp):
    """The biased network's own loss plus the reweighted loss of the model; neither moves the other's weights."""
    easy = batch.x.flatten(1) @ weights["easy.w"] + weights["easy.b"]
    own = cross_entropy(logits(net, weights, batch.x), batch.t)
    w = 2 * share(cross_entropy(easy, batch.t), own).detach()
    first = weighted_mean(generalised(easy, batch.t, hp["q"]), batch.w)
    return weighted_mean(own * w, batch.w) + first, state


METHOD = Method(
    name="lff",
    title="Learning from failure (LfF)",
    family="robust",
    summary="A second, simple network takes the shortcuts; rows it fails on count more for the model.",
    source="Nam et al. 2020, Learning from failure (NeurIPS)",
    equation="W = ℓ_b/(ℓ_b + ℓ);  biased net: (1 − p_y^q)/q",
    params=(
        Param("q", 0.7, 0.01, 1.0, symbol="q", title="Eagerness of the biased network",
              help="Near 0 it learns like the model, at 1 it sticks to what is easy. The authors use 0.7."),
    ),
    init=init,
    loss=loss,
    known_failures="It takes whatever is learnt first for the shortcut: noisy labels are hard too and are weighted up. "
                   "No group is known, so nothing says that the right one is helped.",
)  # fmt: skip
