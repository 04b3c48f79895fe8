"""All the ways to cut each group's scores, with what every cut selects: sort once, then prefix sums.

Letters: J cuts of a group (its distinct scores, and "nobody"), A groups. A cut selects score >= threshold.
Cuts are ordered from nobody to everybody, so selection rate, TPR and FPR only grow along them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.types import BadInput

GAPS = {
    "demographic_parity": "Demographic parity gap",
    "equal_opportunity": "Equal opportunity gap",
    "predictive_equality": "Predictive equality gap",
    "accuracy_parity": "Accuracy parity gap",
    "equalized_odds": "Equalized odds gap",
    "worst_group_error": "Worst-group error rate",
    "worst_subgroup_error": "Worst-group error rate (class × group)",
}
FLOORS = ("worst_group_error", "worst_subgroup_error")  # the largest of the rates counts, not their spread
OBJECTIVES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "f1": "F1 score",
    "expected_cost": "Expected cost",
}


@dataclass(frozen=True)
class Cuts:
    """One group: threshold (J,) descending from inf; tp, fp (J,) weight selected among positives and negatives;
    pos, neg the group's totals."""

    threshold: np.ndarray
    tp: np.ndarray
    fp: np.ndarray
    pos: float
    neg: float

    @property
    def empty(self) -> bool:
        return self.pos + self.neg <= 0


@dataclass(frozen=True)
class Aim:
    """What is to be made good: an objective over all rows together, from pooled totals.

    name: one of OBJECTIVES. pos, neg: totals over all groups. cost_fp, cost_fn: for "expected_cost".
    """

    name: str
    pos: float
    neg: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0

    def gains(self, cuts: Cuts, ratio: float = 0.0) -> np.ndarray:
        """(J,) what a group's cut adds to the objective, up to a constant; more is better.

        Whole numbers stay whole, so that ties are exact. For F1 it is the linear form 2 TP - ratio (TP + FP) whose
        maximum is zero at the best F1 (Dinkelbach 1967).
        """
        for_tp, for_fp = {
            "accuracy": (1.0, 1.0),
            "balanced_accuracy": (self.neg, self.pos),
            "f1": (2.0 - ratio, ratio),
            "expected_cost": (self.cost_fn, self.cost_fp),
        }[self.name]
        return for_tp * cuts.tp - for_fp * cuts.fp

    def value(self, tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
        """Pooled TP and FP (any shape) -> the objective as it is shown; expected cost is per row, less is better."""
        tp, fp = np.asarray(tp, dtype=np.float64), np.asarray(fp, dtype=np.float64)
        everyone = self.pos + self.neg
        if self.name == "accuracy":
            return (tp + self.neg - fp) / everyone
        if self.name == "balanced_accuracy":
            return (tp / self.pos + (self.neg - fp) / self.neg) / 2
        if self.name == "f1":
            return 2 * tp / (self.pos + tp + fp)
        return (self.cost_fp * fp + self.cost_fn * (self.pos - tp)) / everyone


def lower_is_better(objective: str) -> bool:
    """True for expected cost."""
    return objective == "expected_cost"


def make_cuts(
    score: np.ndarray, y: np.ndarray, attr: np.ndarray, n_attrs: int, weight: np.ndarray | None = None
) -> list[Cuts]:
    """Cuts of every group from scores (N,), labels 0/1 (N,), groups (N,) and weights (N,) or None."""
    score, y, attr = np.asarray(score, dtype=np.float64), np.asarray(y), np.asarray(attr)
    w = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    if not len(score) == len(y) == len(attr) == len(w):
        raise BadInput("Rows", f"{len(score)} scores, {len(y)} labels, {len(attr)} groups, {len(w)} weights",
                       "as many of each", "give columns of the same rows")
    if np.isnan(score).any():
        raise BadInput("Scores", f"{int(np.isnan(score).sum())} missing", "a number for every row", "leave those out")
    return [_group_cuts(score[rows], y[rows] == 1, w[rows]) for rows in (attr == a for a in range(n_attrs))]


def make_aim(cuts: Sequence[Cuts], objective: str, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Aim:
    """The objective with its totals, or BadInput where it cannot be computed."""
    if objective not in OBJECTIVES:
        raise BadInput("Objective", repr(objective), "one of " + ", ".join(OBJECTIVES), "use accuracy")
    if min(cost_fp, cost_fn) < 0 or not np.isfinite([cost_fp, cost_fn]).all():
        raise BadInput("Costs", f"{cost_fp:g} and {cost_fn:g}", "numbers of at least 0", "use 1 and 1")
    pos, neg = sum(c.pos for c in cuts), sum(c.neg for c in cuts)
    if pos + neg <= 0:
        raise BadInput("Rows", "none", "at least one row", "choose a larger split")
    lacking = "positive" if pos <= 0 else "negative"
    if (objective == "balanced_accuracy" and min(pos, neg) <= 0) or (objective == "f1" and pos <= 0):
        raise BadInput("Objective", f"{OBJECTIVES[objective].lower()} without {lacking} rows", "rows of both classes",
                       "use accuracy")
    return Aim(objective, pos, neg, cost_fp, cost_fn)


def rates(cuts: Cuts, gap: str) -> tuple[np.ndarray | None, ...]:
    """The rates (J,) that a gap compares, one or two; None where the group's rate is undefined (0/0).

    For the worst errors: the group's error rate, or the larger of its two error rates by class.
    """
    everyone = cuts.pos + cuts.neg
    tpr = cuts.tp / cuts.pos if cuts.pos > 0 else None
    fpr = cuts.fp / cuts.neg if cuts.neg > 0 else None
    if gap == "equal_opportunity":
        return (tpr,)
    if gap == "predictive_equality":
        return (fpr,)
    if gap == "equalized_odds":
        return fpr, tpr
    if gap == "demographic_parity":
        return ((cuts.tp + cuts.fp) / everyone if everyone > 0 else None,)
    if gap == "accuracy_parity":
        return ((cuts.tp + cuts.neg - cuts.fp) / everyone if everyone > 0 else None,)
    if gap == "worst_group_error":
        return ((cuts.pos - cuts.tp + cuts.fp) / everyone if everyone > 0 else None,)
    if gap == "worst_subgroup_error":
        errors = [rate for rate in (None if tpr is None else 1 - tpr, fpr) if rate is not None]
        return (np.max(errors, axis=0) if errors else None,)
    raise BadInput("Gap", repr(gap), "one of " + ", ".join(GAPS), "use demographic_parity")


def _group_cuts(score: np.ndarray, positive: np.ndarray, w: np.ndarray) -> Cuts:
    order = np.argsort(-score, kind="stable")
    score, positive, w = score[order], positive[order], w[order]
    last = np.append(score[1:] != score[:-1], True) if len(score) else np.zeros(0, dtype=bool)
    tp = np.append(0.0, np.cumsum(np.where(positive, w, 0.0))[last])
    fp = np.append(0.0, np.cumsum(np.where(positive, 0.0, w))[last])
    return Cuts(np.append(np.inf, score[last]), tp, fp, float(tp[-1]), float(fp[-1]))
