r"""Utilitarian bargain: the sum of the attribute groups' gains counts, every group with the same say whatever its size.

    maximise sum_a (R_a(f0) - R_a(f)),   that is   minimise mean_a R_a(f)

R_a: mean cross-entropy in attribute group a under the data's weights; groups absent from a batch are left out of the
mean. No settings. What each group starts from drops out. It is not ERM, which gives every row the same say, and it is
where V-REx and IRM stand without their penalty.
Reference: Harsanyi, Cardinal welfare, individualistic ethics, and interpersonal comparisons of utility, Journal of
Political Economy 1955; as a bargaining solution in Han, Banerjee, Sun, Maximin relative improvement, 2026 (arXiv
2602.04155).

>>> METHOD.limits[0][1], METHOD.params
('vrex', ())
"""

from __future__ import annotations

from core.methods._environments import average, risks
from core.nn.head import cross_entropy, logits
from core.types import Method


def loss(net, weights, state, batch, hp):
    """Mean of the groups' risks."""
    each = cross_entropy(logits(net, weights, batch.x), batch.t)
    return average(*risks(each, batch.a, batch.w)), state


METHOD = Method(
    name="utilitarian",
    title="Utilitarian (equal say)",
    family="robust",
    summary="Adds up the average losses of the attribute groups, a small group counting as much as a large one.",
    source="Harsanyi 1955; Han, Banerjee, Sun 2026, Maximin relative improvement (arXiv 2602.04155)",
    equation="min mean_a R_a(f)",
    papers=(49,),
    needs=frozenset({"attr_train"}),
    limits=(({}, "vrex", {"lam": 0.0, "anneal": 0.0}),),
    loss=loss,
    known_failures="A gain for one group makes up for the same loss of another, however badly off that one is. The "
                   "average of a small group is noisy in small batches.",
)  # fmt: skip
