r"""CVaR DRO: minimise the average loss of the worst share alpha of the rows of each batch.

    loss = max_p sum_i p_i l_i  over  0 <= p_i <= 1 / (alpha m),  sum p_i = 1

alpha: `alpha` (1 is ERM; at most 1/m it is the largest loss); m rows in the batch. The maximum is exact: the sorted
losses are filled from the top, the last one in part. With data weights w_i the bound is w_i / (alpha m) and the p_i sum
to the mean weight: the worst share of the people the rows stand for, not the rows with the largest weights.
Reference: Levy, Carmon, Duchi, Sidford, Large-scale methods for distributionally robust optimization, NeurIPS 2020;
as CVaRDRO in Yang et al., Change is hard, ICML 2023.

>>> import torch
>>> l = torch.tensor([4.0, 3.0, 2.0, 1.0])
>>> [round(float(cvar(l, a)), 4) for a in (0.5, 0.3, 1.0, 0.1)]
[3.5, 3.8333, 2.5, 4.0]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.nn.head import cross_entropy, logits
from core.types import Method, Param


def cvar(losses: Tensor, alpha: Tensor | float, w: Tensor | None = None) -> Tensor:
    """(m,) losses, weights -> (): mean weight times the weighted mean of the worst share alpha, fractions included."""
    m = losses.shape[-1]
    w = torch.ones_like(losses) if w is None else w
    order = losses.argsort(descending=True)
    ordered, weight = losses.gather(-1, order), w.gather(-1, order)
    before = (weight.cumsum(-1) - weight) / (alpha * m)
    mass = (w.mean(-1) - before).clamp(min=0.0)
    return (torch.minimum(mass, weight / (alpha * m)) * ordered).sum(-1)


def loss(net, weights, state, batch, hp):
    """CVaR of the losses of the batch."""
    return cvar(cross_entropy(logits(net, weights, batch.x), batch.t), hp["alpha"], batch.w), state


METHOD = Method(
    name="cvar_dro",
    title="CVaR DRO",
    family="robust",
    summary="Learns from the worst-predicted share of every batch, without knowing anybody's group.",
    source="Levy et al. 2020, Large-scale methods for distributionally robust optimization (NeurIPS)",
    equation="loss = mean of the worst α share of the losses",
    params=(
        Param("alpha", 0.1, 0.001, 1.0, log=True, symbol="α", title="Share of worst rows",
              help="1 is ERM; smaller looks at fewer and worse rows. Usual 0.01 to 1."),
    ),
    papers=(42,),
    limits=(({"alpha": 1.0}, "erm", {}),),
    loss=loss,
    known_failures="Rows with a wrong label or no pattern are the worst rows too, and can take over. The share is of "
                   "each batch, so small batches with a small α see single rows.",
)  # fmt: skip
