r"""Balanced softmax: train on logits shifted by the log class counts, predict on the raw ones.

    l = CE(z + log n_c, y)

n_c: training rows of class c (counted, also on data with weights); predictions use z, which then speaks for equally
frequent classes. No settings.
Equal to logit adjustment with tau = 1 up to a constant; equal class counts give ERM.
Reference: Ren et al., Balanced meta-softmax for long-tailed visual recognition, NeurIPS 2020.

>>> import torch
>>> z, t = torch.zeros(1, 2), torch.tensor([[0.0, 1.0]])
>>> round(float(cross_entropy(z + torch.tensor([900.0, 100.0]).log(), t)), 4)
2.3026
"""

from __future__ import annotations

from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method


def init(info, hp, gen):
    """State: log class counts (C,), at least log 1."""
    return {}, {"shift": info.class_counts.clamp(min=1).log()}


def loss(net, weights, state, batch, hp):
    """Weighted mean cross-entropy of the shifted logits."""
    return weighted_mean(cross_entropy(logits(net, weights, batch.x) + state["shift"], batch.t), batch.w), state


METHOD = Method(
    name="balanced_softmax",
    title="Balanced softmax",
    family="margin",
    summary="Corrects for unequal class sizes while learning, so that rare classes are predicted more often.",
    source="Ren et al. 2020, Balanced meta-softmax for long-tailed visual recognition (NeurIPS)",
    equation="l = CE(z + log n_c, y); predict by z",
    papers=(42,),
    init=init,
    loss=loss,
    known_failures="It speaks for equal class shares: on data with the usual shares its accuracy falls and its "
    "probabilities are too high for the rare class.",
)
