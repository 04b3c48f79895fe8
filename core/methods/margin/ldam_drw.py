r"""LDAM-DRW: wider margins for rarer classes from the start, and weights for them towards the end.

    l = CE(s (cos_c - Delta_c [c = y]), y),   Delta_c = m (n_min / n_c)^(1/4)
    after share start:  l times v_y,   v_c = (1 - beta) / (1 - beta^n_c)

cos_c: cosine of the features and class vector c; m: `max_margin`; s: `scale`; start: `start`, share of the iterations
without weights (the authors: 160 of 200 epochs); beta: `beta` (0 is LDAM). n_c: training rows of class c (counted, also
on data with weights). Every batch keeps its total weight, as in the authors' code. Departure: the learning rate does
not fall at the switch.
Reference: Cao, Wei, Gaidon, Arechiga, Ma, Learning imbalanced datasets with label-distribution-aware margin loss,
NeurIPS 2019.

>>> import torch
>>> [round(float(d), 4) for d in margins(torch.tensor([900.0, 100.0]), 0.5)]
[0.2887, 0.5]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.methods._clock import clock, tick
from core.methods._deferred import BETA, START, class_weights, deferred
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def margins(class_counts: Tensor, max_margin: float) -> Tensor:
    """(C,) counts -> (C,) margins; the smallest class that has rows gets max_margin, so does one without."""
    smallest = torch.where(class_counts > 0, class_counts, float("inf")).amin()
    return max_margin * (smallest / torch.maximum(class_counts, smallest)) ** 0.25


def init(info, hp, gen):
    """The head's scale, and state: the clock, margins (C,) and class weights (C,)."""
    state = clock(info)[1] | {"margin": margins(info.class_counts, hp["max_margin"])}
    state["v"] = class_weights(info.class_counts, hp["beta"])
    return {"head.scale": torch.tensor(float(hp["scale"]))}, state


def loss(net, weights, state, batch, hp):
    """Weighted mean cross-entropy with margins; the class weights join once the wait is over."""
    z = logits(net, weights, batch.x) - weights["head.scale"].detach() * state["margin"] * batch.t
    return weighted_mean(cross_entropy(z, batch.t), deferred(state, batch, hp)), tick(state)


METHOD = Method(
    name="ldam_drw",
    title="LDAM-DRW",
    family="margin",
    summary="LDAM's wider margins for rare classes, joined by higher weights for them late in training.",
    source="Cao et al. 2019, Learning imbalanced datasets with label-distribution-aware margin loss (NeurIPS)",
    equation="LDAM;  after a share of the iterations times w_c ∝ (1 − β) / (1 − β^n_c)",
    params=(
        Param("max_margin", 0.5, 0.0, 1.0, symbol="m", title="Largest margin",
              help="Margin of the rarest class, as a cosine. Usual 0.1 to 0.8."),
        Param("scale", 30.0, 1.0, 100.0, symbol="s", title="Scale of the cosine",
              help="How sharply the cosine becomes a probability. Usual 10 to 30."),
        START,
        BETA,
    ),
    limits=(({"beta": 0.0}, "ldam", {}), ({"start": 1.0}, "ldam", {})),
    head="cosine",
    init=init,
    loss=loss,
    known_failures="As LDAM; with few iterations left after the start the weights hardly act, and a very rare class "
                   "then gets large weights on single rows.",
)  # fmt: skip
