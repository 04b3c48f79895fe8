r"""Remix: Mixup whose label goes wholly to the rarer class where a pair is lopsided enough.

    x = m x_i + (1 - m) x_j,   loss = r CE(f(x), y_i) + (1 - r) CE(f(x), y_j)
    r = 0 if n_i / n_j >= kappa and m < tau;   1 if n_i / n_j <= 1 / kappa and 1 - m < tau;   else m

m ~ Beta(alpha, alpha), one a batch, j a random partner; n_i, n_j: training rows of the two rows' classes (counted, also
on data with weights). alpha: `alpha` (0 is ERM); kappa: `kappa`, how much rarer; tau: `tau`, up to which share of the
mixture the common class may lose its label (0 is Mixup). As in Mixup here, of m and 1 - m the larger is the row's
own share, which renames the two rows of a pair: with tau up to one half the common row then never is the own one that
loses its label, its partner's view of the pair is. Data weights are mixed like the labels.
Reference: Chou, Chang, Pan, Wei, Juan, Remix: rebalanced mixup, ECCV workshops 2020.

>>> import torch
>>> r = label_share(torch.tensor(0.6), torch.tensor([10.0, 100.0]), torch.tensor([100.0, 10.0]), 3.0, 0.5)
>>> [round(v, 4) for v in r.tolist()]
[1.0, 0.6]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._random import permutation, symmetric_beta, uniform
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def label_share(m: Tensor, own: Tensor, other: Tensor, kappa: Tensor | float, tau: Tensor | float) -> Tensor:
    """() share of the own row, (B,) class sizes of both rows -> (B,) share of the own label."""
    common = (own >= kappa * other) & (m < tau)
    rare = (kappa * own <= other) & (1 - m < tau)
    return torch.where(common, 0.0, torch.where(rare, 1.0, m))


def init(info, hp, gen):
    """State: a seed and a counter of steps, both int64, and class counts (C,)."""
    seed = torch.randint(0, 2**31 - 1, (), generator=gen, dtype=torch.int64)
    return {}, {"seed": seed, "counter": torch.zeros((), dtype=torch.int64), "n": info.class_counts.clamp(min=1)}


def loss(net, weights, state, batch, hp):
    """Mixed weighted cross-entropy; the counter moves on by one."""
    seed, counter = state["seed"], state["counter"]
    drawn = symmetric_beta(uniform(seed, counter, 1), hp["alpha"])[0]
    m = torch.where(hp["alpha"] > 0, torch.maximum(drawn, 1.0 - drawn), torch.ones_like(drawn))
    partner = permutation(seed, counter, batch.x.shape[0], stream=1)
    z = logits(net, weights, m * batch.x + (1.0 - m) * batch.x[partner])
    n = batch.t @ state["n"]
    r = torch.where(hp["alpha"] > 0, label_share(m, n, n[partner], hp["kappa"], hp["tau"]), torch.ones_like(n))
    own = cross_entropy(z, batch.t) * batch.w
    other = cross_entropy(z, batch.t[partner]) * batch.w[partner]
    return (r * own + (1.0 - r) * other).mean(-1), {**state, "counter": counter + 1}


METHOD = Method(
    name="remix",
    title="Remix",
    family="augment",
    summary="Blends pairs of rows like Mixup, but calls a blend by its rarer class, which gains room.",
    source="Chou et al. 2020, Remix: rebalanced mixup (ECCV workshops)",
    equation="x = m x_i + (1−m) x_j; the label is the rarer class's if n ratio ≥ κ and its share > 1 − τ",
    params=(
        Param("alpha", 1.0, 0.0, 10.0, symbol="α", title="Strength of mixing",
              help="0 is ERM; small values mix rarely, 1 mixes evenly. The authors use 1."),
        Param("kappa", 3.0, 1.0, 1000.0, log=True, symbol="κ", title="How much rarer",
              help="Ratio of class sizes from which on a blend belongs to the rarer class. The authors use 3."),
        Param("tau", 0.5, 0.0, 1.0, symbol="τ", title="Share that may lose its label",
              help="Up to which part of a blend the common class is not counted in the label. 0 is Mixup; the authors "
                   "use 0.5."),
    ),
    limits=(({"alpha": 0.0}, "erm", {}), ({"alpha": 0.2, "tau": 0.0}, "mixup", {"alpha": 0.2})),
    init=init,
    loss=loss,
    known_failures="Blends of one-hot columns are no possible persons. It knows classes, not groups, and moves "
                   "probabilities of rare classes above their shares.",
)  # fmt: skip
