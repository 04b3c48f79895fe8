r"""CORAL: features of all attribute groups should have the same means and covariances.

    loss = ERM + gamma mean_{a<b} [ mean_k (m_ak - m_bk)^2 + mean_{kl} (S_akl - S_bkl)^2 ]

m_a, S_a: mean and covariance (divided by n - 1) of the features before the last layer over the rows of group a in the
batch. gamma: `gamma` (0 is ERM). A group with fewer than two rows in the batch is left out. Data weights enter the
means; n - 1 becomes the unbiased divisor for weights. No departure from the benchmark's form, which adds the means to
the paper's covariances.
Reference: Sun, Saenko, Deep CORAL: correlation alignment for deep domain adaptation, ECCV workshops 2016; as CORAL in
Yang et al., Change is hard, ICML 2023.

>>> import torch
>>> h, a = torch.tensor([[0.0], [2.0], [1.0], [3.0]]), torch.eye(2)[torch.tensor([0, 0, 1, 1])]
>>> round(float(misalignment(h, a, torch.ones(4))), 4)
1.0
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.group import sizes
from core.methods.represent._pairs import GAMMA, apart, centred, full_precision, mean_over_pairs, shares
from core.nn.head import cross_entropy, head, weighted_mean
from core.types import Method


def moments(h: Tensor, part: Tensor) -> tuple[Tensor, Tensor]:
    """(B, H) features, (B, A) shares -> (A, H) means and (A, H, H) unbiased covariances (0 for one row)."""
    mean = part.T @ h
    second = torch.einsum("ba,bh,bk->ahk", part, h, h) - mean[:, :, None] * mean[:, None, :]
    free = 1 - (part**2).sum(0)
    return mean, second / torch.where(free > 1e-6, free, 1.0)[:, None, None]


def misalignment(h: Tensor, onehot: Tensor, w: Tensor) -> Tensor:
    """(B, H) features, (B, A) groups, (B,) weights -> (): mean over pairs of groups of both squared differences."""
    part = shares(onehot, w)
    here = ((sizes(onehot) > 1) & ((part**2).sum(0) < 1 - 1e-6) & (sizes(onehot, w) > 0)).to(w.dtype)
    with full_precision(h):
        mean, cov = moments(centred(h.float()), part)
        flat = ((cov - cov.mean(0, keepdim=True)) * here[:, None, None]).flatten(1)
        distances = apart(mean @ mean.T) / h.shape[1] + apart(flat @ flat.T) / flat.shape[1]
    return mean_over_pairs(distances, here)


def loss(net, weights, state, batch, hp):
    """Cross-entropy plus gamma times the misalignment of the features."""
    h = net.features(weights, batch.x)
    fit = weighted_mean(cross_entropy(head(weights, h), batch.t), batch.w)
    return fit + hp["gamma"] * misalignment(h, batch.a, batch.w), state


METHOD = Method(
    name="coral",
    title="CORAL (alike features, moments)",
    family="represent",
    summary="Makes the features of all attribute groups alike in their averages and in how they vary together.",
    source="Sun, Saenko 2016, Deep CORAL (ECCV workshops)",
    equation="loss = ERM + γ mean over pairs of groups of ‖m_a − m_b‖²/H + ‖S_a − S_b‖²/H²",
    params=(GAMMA,),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    limits=(({"gamma": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Where the label is rarer in one group, equal features must blur the label. Covariances of a group "
                   "with few rows in the batch are noise. A linear model has no features to learn: there it is ERM.",
)  # fmt: skip
