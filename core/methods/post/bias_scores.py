r"""Bias scores: flip the plain decision of those who contribute most to the gap per unit of accuracy lost.

    p = P(y = 1 | x),  y0 = 1[p > 1/2],  eta = |2p - 1|,   f = (2 y0 - 1) (1[a = 0] / P(a = 0) - 1[a = 1] / P(a = 1))
    s = f / eta;   flip where s > t (where group 0 is selected more), else where s < -t

`criterion`: "demographic_parity" as above; "equal_opportunity" with P(a, y = 1) in place of P(a) and 1[a] p in place of
1[a]. With the group known, flipping by s is a threshold for each group: 1/2 + k / P(a) for the favoured one and
1/2 - k / P(a) for the other (parity), and for equal opportunity the p at which 2p - 1 = +-k p / P(a, y = 1). k is swept
from 0 up, exactly over the scores, and the most accurate rule with a gap of at most `gap_bound` on validation rows is
kept. Departures: two groups only, and their membership must be known when deciding (the paper also covers a group that
is predicted).
Reference: Chen, Klochkov, Liu, Post-hoc bias scoring is optimal for fair classification, ICLR 2024.

>>> import numpy as np
>>> cuts(np.array([0.0, 0.1]), np.array([0.5, 0.5]), "demographic_parity").round(3).tolist()
[[0.5, 0.5], [0.7, 0.3]]
"""

from __future__ import annotations

import numpy as np

from core.types import BadInput, Method, Param, Rule


def cuts(k: np.ndarray, share: np.ndarray, criterion: str) -> np.ndarray:
    """Multipliers (K,), shares (2,) of the favoured group and the other -> thresholds (K, 2) in that order."""
    shift = k[:, None] * np.array([1.0, -1.0]) / share
    if criterion == "demographic_parity":
        return 0.5 + shift
    slope = 2 - shift  # 2p - 1 = shift p
    return np.where(slope > 0, 1 / np.where(slope > 0, slope, 1.0), np.inf)


def _rates(scores, y, w, t) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds (K,) of one group -> weight selected among positives and negatives, each (K,)."""
    order = np.argsort(scores)
    first = np.searchsorted(scores[order], t, "left")
    sums = [np.append(np.cumsum((w * (y == c))[order][::-1])[::-1], 0.0) for c in (1, 0)]
    return sums[0][first], sums[1][first]


def decide(scores, attr, y, w, hp) -> Rule:
    """The most accurate rule of the family within the bound on the validation rows."""
    n_attrs = int(attr.max()) + 1 if len(attr) else 1
    there = [g for g in range(n_attrs) if (attr == g).any()]
    if len(there) != 2:
        raise BadInput("Groups", f"{len(there)} of them", "two groups for bias scores", "use exact group thresholds")
    parity = hp["criterion"] == "demographic_parity"
    mass = np.array([[(w * (y == c))[attr == g].sum() for c in (0, 1)] for g in there])
    if not parity and (mass[:, 1] == 0).any():
        return Rule(np.full(n_attrs, 0.5), "a group has no positives on validation rows: the plain rule stays")
    share = (mass.sum(1) if parity else mass[:, 1]) / mass.sum()
    base = mass.sum(1) if parity else mass[:, 1]

    def rate(g, t):
        tp, fp = _rates(scores[attr == there[g]], y[attr == there[g]], w[attr == there[g]], t)
        return tp, fp, ((tp + fp) if parity else tp) / base[g]

    plain = np.array([0.5])
    high = 0 if rate(0, plain)[2][0] >= rate(1, plain)[2][0] else 1
    pair = [high, 1 - high]
    k = _multipliers(scores, attr, share, there, pair, parity)
    t = cuts(k, share[pair], hp["criterion"])
    parts = [rate(g, t[:, j]) for j, g in enumerate(pair)]
    gap = np.abs(parts[0][2] - parts[1][2])
    right = sum(tp - fp for tp, fp, _ in parts)
    inside = gap <= hp["gap_bound"] + 1e-12
    best = int(np.argmax(np.where(inside, right, -np.inf))) if inside.any() else int(np.argmin(gap))
    found = np.full(n_attrs, 0.5)
    found[[there[g] for g in pair]] = t[best]
    kept = "kept" if inside.any() else "out of reach for this family"
    return Rule(found, f"gap {gap[best]:.3g} on validation rows (bound {hp['gap_bound']:g}, {kept})")


def _multipliers(scores, attr, share, there, pair, parity: bool) -> np.ndarray:
    """Every k at which a row's decision flips, and 0."""
    found = [np.zeros(1)]
    for sign, g in zip((1.0, -1.0), pair, strict=True):
        p = np.unique(scores[attr == there[g]]).astype(np.float64)
        p = np.append(p, np.nextafter(p, np.inf))
        k = sign * share[g] * ((p - 0.5) if parity else (2 - 1 / np.maximum(p, 1e-9)))
        found.append(k[k >= 0])
    return np.unique(np.concatenate(found))


METHOD = Method(
    name="bias_scores",
    title="Bias scores",
    family="post",
    summary="Flips the decisions that close the gap at the least cost in accuracy, in the Bayes-optimal order.",
    source="Chen, Klochkov, Liu 2024 (ICLR)",
    equation="flip where f(x)/|2p − 1| > t;  with known groups: t_a = ½ ± k/P(a)",
    params=(
        Param("gap_bound", 0.05, 0.0, 1.0, stage="decide", symbol="δ", title="Largest gap allowed",
              help="On the validation rows. 0 asks for equality."),
        Param("criterion", "demographic_parity", choices=("demographic_parity", "equal_opportunity"), stage="decide",
              title="Which gap", help="demographic_parity: share selected; equal_opportunity: true positive rate."),
    ),
    papers=(39,),
    needs=frozenset({"attr_val", "attr_test", "binary"}),
    decide=decide,
    known_failures="Optimal only where the scores are calibrated probabilities. Two groups only; everybody's group "
                   "must be known when deciding, which may be unlawful.",
)  # fmt: skip
