r"""Logit adjustment: train on logits shifted by tau times the log class shares, predict on the raw ones.

    l = CE(z + tau log pi_c, y),   pi_c = n_c / N

tau: `tau` (0 is ERM, 1 is balanced softmax: a constant added to all logits changes nothing; 1 is what balanced error
asks for). n_c: training rows of class c (counted, also on data with weights; a class without a row counts one).
Departure: only the loss of the paper; its post-hoc form, z - tau log pi of a plainly trained model, moves the threshold
of two classes alone, which the decision rules here do.
Reference: Menon et al., Long-tail learning via logit adjustment, ICLR 2021.

>>> import torch
>>> [round(float(v), 4) for v in shift(torch.tensor([900.0, 100.0]), 1.0)]
[-0.1054, -2.3026]
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method, Param


def shift(class_counts: Tensor, tau: Tensor | float) -> Tensor:
    """(C,) counts -> (C,) what is added to the logits in training: tau times the log share of the class."""
    n = class_counts.clamp(min=1)
    return tau * torch.log(n / n.sum())


def init(info, hp, gen):
    """State: class counts (C,)."""
    return {}, {"counts": info.class_counts}


def loss(net, weights, state, batch, hp):
    """Weighted mean cross-entropy of the shifted logits."""
    z = logits(net, weights, batch.x) + shift(state["counts"], hp["tau"])
    return weighted_mean(cross_entropy(z, batch.t), batch.w), state


METHOD = Method(
    name="logit_adjustment",
    title="Logit adjustment",
    family="margin",
    summary="Asks for a wider margin the rarer the true class is, by a dial between plain and balanced training.",
    source="Menon et al. 2021, Long-tail learning via logit adjustment (ICLR)",
    equation="l = CE(z + τ log π_c, y); predict by z",
    params=(
        Param("tau", 1.0, 0.0, 10.0, symbol="τ", title="Strength of the adjustment",
              help="0 is ERM, 1 aims at equal weight for all classes, more favours rare classes beyond that. Usual "
                   "0.5 to 2."),
    ),
    limits=(({"tau": 0.0}, "erm", {}), ({"tau": 1.0}, "balanced_softmax", {})),
    init=init,
    loss=loss,
    known_failures="It knows classes, not groups. Probabilities speak for equal class shares, not for those of the "
                   "data: correct them before reading them as risks.",
)  # fmt: skip
