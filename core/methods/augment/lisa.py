r"""LISA: mix rows of the same class from different groups, or of different classes within a group.

    with probability p_sel: y_j = y_i, a_j != a_i;  else: a_j = a_i, y_j != y_i
    x = m x_i + (1 - m) x_j,   loss = m CE(f(x), y_i) + (1 - m) CE(f(x), y_j),   m ~ Beta(alpha, alpha)

One choice and one m a batch; j is drawn evenly for every row from the rows of the batch that fit, a row without any is
left as it is. alpha: `alpha` (0 is ERM: m is 1); p_sel: `p_sel`. With p_sel = 1 labels stay whole, and with one
attribute group it is ERM. Data weights are mixed like the labels. Departure: for images, too, whole rows are mixed (no
cut-outs).
Reference: Yao et al., Improving out-of-distribution robustness via selective augmentation, ICML 2022; defaults of Yang
et al., Change is hard, ICML 2023.

>>> import torch
>>> fits = torch.tensor([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
>>> partners(fits, torch.tensor([0.9, 0.5, 0.1])).tolist()
[2, 1, 0]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._random import symmetric_beta, uniform
from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def partners(fits: Tensor, u: Tensor) -> Tensor:
    """(B, B) 1 where row j fits row i, (B,) in (0, 1) -> (B,) int64 partner, drawn evenly; the row itself if none."""
    count = fits.sum(-1)
    rank = torch.minimum((u * count).floor(), count - 1)
    drawn = (fits.cumsum(-1) <= rank[:, None]).sum(-1)
    return torch.where(count > 0, drawn, torch.arange(len(u), device=u.device))


def init(info, hp, gen):
    """State: a seed and a counter of steps, both int64."""
    seed = torch.randint(0, 2**31 - 1, (), generator=gen, dtype=torch.int64)
    return {}, {"seed": seed, "counter": torch.zeros((), dtype=torch.int64)}


def loss(net, weights, state, batch, hp):
    """Mixed weighted cross-entropy; the counter moves on by one."""
    seed, counter = state["seed"], state["counter"]
    drawn, choice = uniform(seed, counter, 2)
    m = symmetric_beta(drawn[None], hp["alpha"])[0]
    m = torch.where(hp["alpha"] > 0, m, torch.ones_like(m))
    same_y, same_a = batch.t @ batch.t.T, batch.a @ batch.a.T
    fits = torch.where(choice < hp["p_sel"], same_y * (1 - same_a), same_a * (1 - same_y))
    partner = partners(fits, uniform(seed, counter, batch.x.shape[0], stream=1))
    z = logits(net, weights, m * batch.x + (1.0 - m) * batch.x[partner])
    own = cross_entropy(z, batch.t) * batch.w
    other = cross_entropy(z, batch.t[partner]) * batch.w[partner]
    return (m * own + (1.0 - m) * other).mean(-1), {"seed": seed, "counter": counter + 1}


METHOD = Method(
    name="lisa",
    title="LISA (selective mixing)",
    family="augment",
    summary="Blends rows that share a class but not a group, or a group but not a class, so that shortcuts cancel.",
    source="Yao et al. 2022, Improving out-of-distribution robustness via selective augmentation (ICML)",
    equation="mix (i, j) with y_j = y_i, a_j ≠ a_i (probability p_sel), else a_j = a_i, y_j ≠ y_i",
    params=(
        Param("alpha", 2.0, 0.0, 10.0, symbol="α", title="Strength of mixing",
              help="0 is ERM; larger mixes closer to one half each. Published search 0.1 to 10."),
        Param("p_sel", 0.5, 0.0, 1.0, title="Same class, other group",
              help="How often rows of one class and different groups are mixed, instead of rows of one group and "
                   "different classes."),
    ),
    papers=(42,),
    needs=frozenset({"attr_train"}),
    limits=(({"alpha": 0.0}, "erm", {}),),
    init=init,
    loss=loss,
    known_failures="A group that has a single row in the batch is mixed with everybody. Blends of one-hot columns are "
                   "no possible persons; with weights, many blends lean on few heavy rows.",
)  # fmt: skip
