"""Bargaining over packages under a budget, with a mediator, against the best of all packages.

A package is one base option and any add-ons, P = base + add-ons, cost(P) <= budget. Party i with weights w_i over
criteria has u_i(P) = sum_c w_ic s_c(P), where scores of the parts add up. Without an agreement the base with the
largest total stands. In every round each party proposes the addition or exchange of one add-on that helps it most
among those that put nobody below the base; the mediator accepts the proposal with the largest (worst utility, product
of gains, total), and the round after starts from it. It ends where no proposal is larger in that order than what
stands; the order strictly rises, so it always ends.
The rule is reconstructed from a description of Mushkani et al. (Negotiative alignment, streets of Montreal). That a
proposal must rise in the mediator's order is ours: without it two parties can exchange two add-ons for ever.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.negotiate.bargain import TINY
from core.types import BadInput

MOST = 2**14


@dataclass(frozen=True)
class Offer:
    """Criteria K, parties I, bases B, add-ons A. weights (I, K); base (B, K) and add (A, K) scores; their costs (B,)
    and (A,); budget."""

    weights: np.ndarray
    base: np.ndarray
    add: np.ndarray
    base_cost: np.ndarray
    add_cost: np.ndarray
    budget: float


@dataclass(frozen=True)
class Package:
    """base: its row. add: (A,) bool. utilities (I,). cost. proposer: the party whose proposal led here, -1 at first."""

    base: int
    add: np.ndarray
    utilities: np.ndarray
    cost: float
    proposer: int = -1


def offer(weights: np.ndarray, base: np.ndarray, add: np.ndarray, base_cost: np.ndarray, add_cost: np.ndarray,
          budget: float) -> Offer:
    """Check what is offered. Raises BadInput for shapes that do not fit, negative costs, or no affordable base."""
    w, b, a = (np.atleast_2d(np.asarray(x, dtype=np.float64)) for x in (weights, base, add))
    if a.size == 0:
        a = np.zeros((0, w.shape[1]))
    costs, extra = (np.asarray(x, dtype=np.float64).ravel() for x in (base_cost, add_cost))
    if b.shape[1] != w.shape[1] or a.shape[1] != w.shape[1] or len(costs) != len(b) or len(extra) != len(a):
        raise BadInput("Packages", "tables of different widths", "one score for each criterion, one cost for each part",
                       "fill every cell")
    if not all(np.isfinite(x).all() for x in (w, b, a, costs, extra)) or (costs < 0).any() or (extra < 0).any():
        raise BadInput("Packages", "a missing score or a negative cost", "numbers, costs of at least 0",
                       "correct the table")
    if not np.isfinite(budget) or (costs > budget + TINY).all():
        raise BadInput("Budget", f"{budget:g}", f"at least {costs.min():g}, the cheapest base", "raise the budget")
    return Offer(w, b, a, costs, extra, float(budget))


def disagreement(offered: Offer) -> Package:
    """The affordable base with the largest total, without add-ons."""
    utilities = offered.weights @ offered.base.T
    total = np.where(offered.base_cost <= offered.budget + TINY, utilities.sum(0), -np.inf)
    best = int(total.argmax())
    return Package(best, np.zeros(len(offered.add), dtype=bool), utilities[:, best], float(offered.base_cost[best]))


def mediate(offered: Offer) -> list[Package]:
    """The rounds of the bargaining, from the disagreement point to where no proposal is accepted."""
    rounds = [disagreement(offered)]
    floor = rounds[0].utilities
    while True:
        now = rounds[-1]
        masks = _moves(now.add)
        utilities, cost = _measure(offered, now.base, masks)
        fits = (cost <= offered.budget + TINY) & (utilities >= floor[:, None] - TINY).all(0)
        best: Package | None = None
        for party in range(len(offered.weights)):
            gain = np.where(fits, utilities[party] - now.utilities[party], -np.inf)
            if not gain.size or gain.max() <= TINY:
                continue
            k = int(gain.argmax())
            proposal = Package(now.base, masks[k], utilities[:, k], float(cost[k]), party)
            if _before(now if best is None else best, proposal, floor):
                best = proposal
        if best is None:
            return rounds
        rounds.append(best)


def every_package(offered: Offer) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All affordable packages: base (M,), add-ons (M, A) bool, utilities (I, M).

    Raises:
        BadInput: more than 2^14 packages.
    """
    n, count = len(offered.add), len(offered.base)
    if count * 2**n > MOST:
        raise BadInput("Packages", f"{count} x 2^{n} packages", f"at most {MOST:,}", "leave add-ons out")
    masks = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1
    found = [_measure(offered, b, masks) for b in range(count)]
    utilities = np.concatenate([u for u, _ in found], axis=1)
    fits = np.concatenate([c for _, c in found]) <= offered.budget + TINY
    return np.repeat(np.arange(count), 2**n)[fits], np.tile(masks, (count, 1))[fits], utilities[:, fits]


def summary(utilities: np.ndarray) -> dict[str, float]:
    """Utilities (I,) -> total, worst, p20 (20th percentile, linear between order statistics), gini.

    Gini = mean absolute difference / (2 mean), NaN where the mean is not positive or a utility is negative.

    >>> summary(np.array([1.0, 3.0]))["gini"]
    0.25
    """
    u = np.asarray(utilities, dtype=np.float64)
    mean = float(u.mean())
    spread = float(np.abs(u[:, None] - u[None]).mean())
    gini = spread / (2 * mean) if mean > 0 and u.min() >= 0 else float("nan")
    return {"total": float(u.sum()), "worst": float(u.min()), "p20": float(np.quantile(u, 0.2)), "gini": gini}


def _measure(offered: Offer, base: int, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Utilities (I, M) and costs (M,) of a base with add-ons (M, A)."""
    scores = offered.base[base] + masks @ offered.add
    return offered.weights @ scores.T, offered.base_cost[base] + masks @ offered.add_cost


def _moves(add: np.ndarray) -> np.ndarray:
    """Every package one addition or one exchange away, (M, A)."""
    into, out = np.flatnonzero(~add), np.flatnonzero(add)
    eye = np.eye(len(add), dtype=bool)
    added = add | eye[into]
    exchanged = (added[:, None, :] & ~eye[out][None]).reshape(len(into) * len(out), len(add))
    return np.concatenate([added, exchanged])


def _before(first: Package, second: Package, floor: np.ndarray) -> bool:
    """Whether the mediator's order puts `second` above `first`."""
    for a, b in zip(_key(first, floor), _key(second, floor), strict=True):
        if abs(a - b) > TINY:
            return b > a
    return False


def _key(package: Package, floor: np.ndarray) -> tuple[float, float, float]:
    gains = np.maximum(package.utilities - floor, 0.0)
    return float(package.utilities.min()), float(gains.prod()), float(package.utilities.sum())
