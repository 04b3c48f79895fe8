r"""DRW, deferred reweighting: learn from the data as they are first, and weigh rare classes up only for the rest.

    before: mean w l;   after share start:  sum_i w_i v_i l_i * (sum_i w_i / sum_i w_i v_i) / B
    v_c = (1 - beta) / (1 - beta^n_c)

start: `start`, share of the iterations (the authors: 160 of 200 epochs); beta: `beta` (0 is ERM; 1 in the limit v_c =
1 / n_c); n_c: training rows of class c (counted, also on data with weights), v_i that of the row's class. Every batch
keeps its total weight, as in the authors' code, so the step size does not jump.
Departures: on cross-entropy (LDAM-DRW is a method of its own); the learning rate does not fall at the switch.
Reference: Cao, Wei, Gaidon, Arechiga, Ma, Learning imbalanced datasets with label-distribution-aware margin loss,
NeurIPS 2019.

>>> import torch
>>> v = class_weights(torch.tensor([4000.0, 100.0, 10.0]), 0.99)
>>> [round(float(c), 4) for c in 3 * v / v.sum()]
[0.2301, 0.363, 2.4068]
"""

from __future__ import annotations

from core.methods._clock import clock, tick
from core.methods._deferred import BETA, START, class_weights, deferred
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method


def init(info, hp, gen):
    """State: the clock and class weights (C,)."""
    return {}, clock(info)[1] | {"v": class_weights(info.class_counts, hp["beta"])}


def loss(net, weights, state, batch, hp):
    """Weighted mean cross-entropy, with the class weights once the wait is over."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t)
    return weighted_mean(each, deferred(state, batch, hp)), tick(state)


METHOD = Method(
    name="drw",
    title="DRW (deferred reweighting)",
    family="reweight",
    summary="Trains plainly first, so that features come from all rows, then weighs rare classes up for the rest.",
    source="Cao et al. 2019, Learning imbalanced datasets with label-distribution-aware margin loss (NeurIPS)",
    equation="after a share of the iterations: w_c ∝ (1 − β) / (1 − β^n_c)",
    params=(START, BETA),
    limits=(({"beta": 0.0}, "erm", {}), ({"start": 1.0}, "erm", {})),
    init=init,
    loss=loss,
    known_failures="It knows classes, not groups. With few iterations left after the start the weights hardly act; a "
                   "very rare class then gets large weights on single rows.",
)  # fmt: skip
