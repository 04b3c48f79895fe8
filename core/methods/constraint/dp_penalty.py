r"""Demographic-parity penalty: punish differences between groups in the mean predicted probability.

    loss = ERM + lam (max_a m_a - min_a m_a)^2,   m_a = mean of p(positive | x) over the batch rows of group a

lam: `lam` (0 is ERM); `shape`: the square (as above) or the spread itself. For more than two classes the spread is
taken for every class and the largest punished. Groups absent from a batch are left out; a batch with one group has no
penalty. Data weights enter the means. Departure: FFB takes the spread itself, the square is our default.
Reference: the covariance and mean-difference penalties of Zafar et al., Fairness constraints, AISTATS 2017, in the
mean-difference form of Han et al., FFB: a fair fairness benchmark, ICLR 2024 (DiffDP).

>>> import torch
>>> p, a = torch.tensor([[0.2], [0.4], [0.9]]), torch.eye(2)[torch.tensor([0, 0, 1])]
>>> round(float(spreads(p, a, torch.ones(3))[0]), 4)
0.6
"""

from __future__ import annotations

from core.methods.constraint._gaps import LAM, SHAPE, positives, punish, spreads
from core.nn.head import cross_entropy, logits, weighted_mean
from core.types import Method


def loss(net, weights, state, batch, hp):
    """Cross-entropy plus lam times the (squared) spread of the groups' mean probabilities."""
    z = logits(net, weights, batch.x)
    gap = spreads(positives(z), batch.a, batch.w).amax(-1)
    return weighted_mean(cross_entropy(z, batch.t), batch.w) + hp["lam"] * punish(gap, hp["shape"]), state


METHOD = Method(
    name="dp_penalty",
    title="Demographic-parity penalty",
    family="constraint",
    summary="Punishes the model while groups receive positive predictions at different rates.",
    source="Zafar et al. 2017 (AISTATS); mean-difference form of Han et al. 2024, FFB (ICLR)",
    equation="loss = ERM + λ (max m_a − min m_a)²",
    params=(LAM, SHAPE),
    needs=frozenset({"attr_train"}),
    limits=(({"lam": 0.0}, "erm", {}),),
    loss=loss,
    known_failures="Equal mean scores are not equal selection rates at a threshold: look at both. Groups that are rare "
    "in a batch give a noisy penalty: use larger batches.",
)
