r"""DRW, deferred reweighting: learn from the data as they are first, and weigh rare classes up only for the rest.

    before: mean w l;   after share start:  sum_i w_i v_i l_i * (sum_i w_i / sum_i w_i v_i) / B
    v_c = (1 - beta) / (1 - beta^n_c)

start: `start`, share of the iterations (the authors: 160 of 200 epochs); beta: `beta` (0 is ERM; 1 in the limit v_c =
1 / n_c); n_c: training rows of class c (counted, also on data with weights), v_i that of the row's class. Every batch
keeps its total weight, as in the authors' code, so the step size does not jump.
Departures: on cross-entropy, where the authors mostly use LDAM; the learning rate does not fall at the switch.
Reference: Cao, Wei, Gaidon, Arechiga, Ma, Learning imbalanced datasets with label-distribution-aware margin loss,
NeurIPS 2019.

>>> import torch
>>> v = class_weights(torch.tensor([4000.0, 100.0, 10.0]), 0.99)
>>> [round(float(c), 4) for c in 3 * v / v.sum()]
[0.2301, 0.363, 2.4068]
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.methods._clock import clock, tick, waited
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def class_weights(counts: Tensor, beta: float) -> Tensor:
    """(C,) class counts -> (C,) inverse effective numbers; a class without a row counts one."""
    n = counts.double().clamp(min=1)
    if beta == 0.0:
        return torch.ones_like(n).float()
    if beta == 1.0:
        return (1 / n).float()
    return ((1 - beta) / -torch.expm1(n * math.log(beta))).float()


def init(info, hp, gen):
    """State: the clock and class weights (C,)."""
    return {}, clock(info)[1] | {"v": class_weights(info.class_counts, hp["beta"])}


def weighted(w: Tensor, v: Tensor) -> Tensor:
    """(B,) data weights, (B,) class weights -> (B,) their product, scaled so that the batch keeps its total weight."""
    return w * v * (w.sum() / (w * v).sum())


def loss(net, weights, state, batch, hp):
    """Weighted mean cross-entropy, with the class weights once the wait is over."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t)
    w = torch.where(waited(state, hp["start"]), weighted(batch.w, batch.t @ state["v"]), batch.w)
    return weighted_mean(each, w), tick(state)


METHOD = Method(
    name="drw",
    title="DRW (deferred reweighting)",
    family="reweight",
    summary="Trains plainly first, so that features come from all rows, then weighs rare classes up for the rest.",
    source="Cao et al. 2019, Learning imbalanced datasets with label-distribution-aware margin loss (NeurIPS)",
    equation="after a share of the iterations: w_c ∝ (1 − β) / (1 − β^n_c)",
    params=(
        Param("start", 0.8, 0.0, 1.0, title="Start of the weights",
              help="Share of the iterations without weights. 0 weighs from the start, 1 never (ERM). Authors: 0.8."),
        Param("beta", 0.9999, 0.0, 1.0, symbol="β", title="Overlap of rows",
              help="0 weighs every row alike (ERM); near 1 every class counts the same. Usual: 0.99 to 0.99999."),
    ),
    limits=(({"beta": 0.0}, "erm", {}), ({"start": 1.0}, "erm", {})),
    init=init,
    loss=loss,
    known_failures="It knows classes, not groups. With few iterations left after the start the weights hardly act; a "
                   "very rare class then gets large weights on single rows.",
)  # fmt: skip
