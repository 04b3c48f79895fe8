r"""Distance-covariance penalty: nothing about the group should be readable from the prediction, in any shape.

    loss = mean w l + lam dCov^2(p, a),    dCov^2 = sum_{i != j} U^p_ij U^a_ij / (n (n - 3))

p: predicted probabilities; a: the attribute group as a one-hot, all attributes at once (concatenated form, CCdCov):
hiding each attribute alone leaves their intersections visible, this does not. U is the U-centred distance matrix.
lam: `lam`. lam = 0 is ERM. It needs batches of some hundred rows (the authors: 256 and more).
Departures: groups are the study's intersections, so numeric attributes enter as their bins; the joint form (JdCov) is
left out because a batch knows only the intersection. Two one-hots are sqrt(2) apart: distances between groups are 0
or 1 here, which only rescales lam.
Reference: Lee et al., Fairness-aware insurance pricing by distance covariance, 2025 (arXiv 2509.08163); the estimator:
Szekely and Rizzo, Partial distance correlation, 2014.

>>> import torch
>>> x = torch.tensor([[0.0], [0.0], [1.0], [1.0], [0.0], [1.0]])
>>> round(float(distance_covariance(x, x)), 4) > 0
True
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import softmax

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def centred(d: Tensor) -> Tensor:
    """(n, n) distances -> U-centred matrix with zero diagonal; n > 2."""
    n = d.shape[-1]
    rows = d.sum(-1)
    u = d - rows[:, None] / (n - 2) - rows[None, :] / (n - 2) + d.sum() / ((n - 1) * (n - 2))
    return u * (1 - torch.eye(n, dtype=d.dtype, device=d.device))


def distances(x: Tensor) -> Tensor:
    """(n, k) -> (n, n) Euclidean distances with a defined slope at 0."""
    square = ((x[:, None] - x[None]) ** 2).sum(-1)
    return torch.where(square > 0, torch.where(square > 0, square, 1.0).sqrt(), 0.0)


def distance_covariance(x: Tensor, z: Tensor) -> Tensor:
    """Unbiased squared distance covariance of rows (n, k) and (n, m); needs n > 3. About 0 under independence."""
    n = x.shape[0]
    return (centred(distances(x)) * centred(distances(z))).sum() / (n * (n - 3))


def loss(net, weights, state, batch, hp):
    """Cross-entropy plus the penalty; batches of fewer than four rows have no penalty."""
    z = logits(net, weights, batch.x)
    fit = weighted_mean(cross_entropy(z, batch.t), batch.w)
    if batch.t.shape[0] < 4:
        return fit, state
    p = softmax(z, dim=-1)[:, 1:]
    return fit + hp["lam"] * distance_covariance(p, batch.a / 2**0.5), state


METHOD = Method(
    name="distance_covariance",
    title="Distance-covariance penalty",
    family="constraint",
    summary="Punishes any dependence between prediction and group, intersections included, not only unequal means.",
    source="Lee et al. 2025 (arXiv 2509.08163)",
    equation="mean w·ℓ + λ dCov²(p, a)",
    params=(
        Param("lam", 10.0, 0.0, 10_000.0, log=True, symbol="λ", title="Weight of the penalty",
              help="0 is ERM. The authors use about 30 to 40 in insurance; usual 1 to 1000."),
    ),
    papers=(48,),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Its cost grows with the square of the batch size; small batches estimate it poorly. Independence "
                   "of score and group is demographic parity of every threshold: with unequal base rates it costs.",
)  # fmt: skip
