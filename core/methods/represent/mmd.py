r"""MMD: features of all attribute groups should be distributed alike, compared by sums of Gaussian kernels.

    loss = ERM + gamma mean_{a<b} [k(a, a) + k(b, b) - 2 k(a, b)],   k(a, b) = mean of sum_s exp(-s ||h_i - h_j||^2)

h: the features before the last layer; the inner mean is over rows i of group a and j of group b in the batch, a row
with itself included; s = 0.001, 0.01 ... 1000. gamma: `gamma` (0 is ERM). Groups absent from the batch are left out; a
batch with one group has no penalty. Data weights enter the means. No departure.
Reference: Li, Pan, Wang, Kot, Domain generalization with adversarial feature learning, CVPR 2018, without the
adversary; as MMD in Yang et al., Change is hard, ICML 2023.

>>> import torch
>>> a = torch.eye(2)[torch.tensor([0, 1])]
>>> far = torch.tensor([[0.0], [1000.0]])
>>> round(float(discrepancy(far, a, torch.ones(2))), 4), float(discrepancy(0 * far, a, torch.ones(2)))
(14.0, 0.0)
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.group import present
from core.methods.represent._pairs import GAMMA, apart, centred, full_precision, mean_over_pairs, shares
from core.nn.head import cross_entropy, head, weighted_mean
from core.types import Method

BANDS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def kernel(h: Tensor) -> Tensor:
    """(B, H) -> (B, B): Gaussian kernels of all pairs of rows, summed over the bands."""
    h = centred(h)
    square = apart(h @ h.T).clamp(min=0.0) * (1 - torch.eye(h.shape[0], dtype=h.dtype, device=h.device))
    return torch.stack([torch.exp(-s * square) for s in BANDS]).sum(0)


def discrepancy(h: Tensor, onehot: Tensor, w: Tensor) -> Tensor:
    """(B, H) features, (B, A) groups, (B,) weights -> (): mean squared MMD over pairs of groups."""
    part = shares(onehot, w)
    with full_precision(h):
        return mean_over_pairs(apart(part.T @ kernel(h.float()) @ part), present(onehot * w[:, None]))


def loss(net, weights, state, batch, hp):
    """Cross-entropy plus gamma times the discrepancy of the features."""
    h = net.features(weights, batch.x)
    fit = weighted_mean(cross_entropy(head(weights, h), batch.t), batch.w)
    return fit + hp["gamma"] * discrepancy(h, batch.a, batch.w), state


METHOD = Method(
    name="mmd",
    title="MMD (alike features, kernels)",
    family="represent",
    summary="Makes the features of all attribute groups look alike in every respect that a kernel can see.",
    source="Li, Pan, Wang, Kot 2018, Domain generalization with adversarial feature learning (CVPR)",
    equation="loss = ERM + γ mean over pairs of groups of MMD²(h_a, h_b)",
    params=(GAMMA,),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    limits=(({"gamma": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Where the label is rarer in one group, equal features must blur the label. A linear model has no "
                   "features to learn, so there it is ERM. Its cost grows with the square of the batch size.",
)  # fmt: skip
