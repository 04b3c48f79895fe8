"""Infra-marginality: who is decided against the odds, and what that costs, person by person.

p_x = P(y = 1 | x) are the odds of a person, h(x) the decision, h*(x) = 1[p_x >= 1/2] the one the odds speak for:

    eta = E[|h - h*| |2 p_x - 1|] (weighted: by how clear the odds are),    E|h - h*| (plain: how often)
    accuracy(h*) - accuracy(h) = weighted eta, exactly, with the true p_x

Source: Biswas et al. 2019 [22]; definition reconstructed from its description, checked by the identity above.
p_x is not in the data: it is estimated by boosted trees that never saw the row (nor its person), brought to the scale
of shares by a logistic curve fitted on other rows (Platt 1999). As labels are known, the gain in accuracy
can also be counted; where count and eta disagree, the estimate is not good enough. N rows, A groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.audit.alike import encoded, group_means
from core.gaps import gap_interval
from core.types import BadInput, Predictions, Value

FEWEST = 50
MOST_FIT = 10_000  # rows that one forest of trees learns from
HOW = "Wilson at the rows that the spread is worth, p taken as given"
MEASURES = {"weighted": "Against the odds, weighted by how clear they are", "plain": "Decided against the odds",
            "refused": "Refused although likely positive", "accepted": "Accepted although likely negative",
            "gain": "Accuracy gained by the odds (counted)", "off": "Truth minus estimate"}


@dataclass(frozen=True)
class Odds:
    """Estimated P(y = 1 | x) of every row (N,), the columns used, those left out as (name, reason), and notes."""

    p: np.ndarray
    used: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupInfra:
    """One group (or everyone): rows, whether it is small, and the numbers of `MEASURES`."""

    label: str
    n: int
    small: bool
    numbers: dict[str, Value]


@dataclass(frozen=True)
class Infra:
    """Infra-marginality of one model. gap: the largest difference in the weighted measure between groups with enough
    rows, and `between` which two. agrees: whether the counted gain in accuracy holds the weighted measure in its
    interval."""

    everyone: GroupInfra
    groups: tuple[GroupInfra, ...]
    gap: Value
    between: tuple[str, ...]
    agrees: bool
    odds: Odds


def eta(h: np.ndarray, p: np.ndarray, w: np.ndarray | None = None) -> tuple[float, float]:
    """(weighted, plain) infra-marginality of decisions h (N,) in [0, 1] at odds p (N,), with row weights w.

    >>> [round(x, 3) for x in eta(np.array([0, 1, 1]), np.array([0.9, 0.8, 0.4]))]
    [0.333, 0.667]
    """
    apart = np.abs(h - best(p))
    return float(np.average(apart * np.abs(2 * p - 1), weights=w)), float(np.average(apart, weights=w))


def best(p: np.ndarray) -> np.ndarray:
    """(N,) the decision that the odds speak for: 1 from one half on."""
    return (np.asarray(p) >= 0.5).astype(np.int64)


def expected_accuracy(h: np.ndarray, p: np.ndarray, w: np.ndarray | None = None) -> float:
    """Accuracy that decisions h have at odds p, over what will happen: E[p h + (1 - p)(1 - h)]."""
    return float(np.average(p * h + (1 - p) * (1 - h), weights=w))


def estimate_odds(rows: Predictions, folds: int = 5, seed: int = 0) -> Odds:
    """P(y = 1 | x) of every row from features and attributes, by models that did not see the row or its person.

    Args:
        folds: parts, each left out once. Weights count in every fit.

    Raises BadInput without labels of two classes, with too few rows, one class only, or no usable column.
    """
    y = _labels(rows)
    frame = pd.concat([rows.features, rows.attributes.loc[:, [c for c in rows.attributes if c not in rows.features]]],
                      axis=1)
    columns = encoded(frame)
    if not columns.used or not len(rows.features.columns):
        raise BadInput("Odds of each person", "no column that tells people apart",
                       "columns besides label and attributes", "bring a table with the features")
    rng = np.random.default_rng(seed)
    unit = np.arange(rows.n) if rows.person is None else rows.person
    fold = rng.permutation(np.arange(int(unit.max()) + 1) % folds)[unit]
    if any(len(np.unique(y[fold != k])) < 2 for k in range(folds)):
        raise BadInput("Odds of each person", "rows of one class alone in a part", "both classes in every part",
                       "bring more rows")
    w = np.ones(rows.n) if rows.w is None else rows.w
    raw = _left_out_scores(columns.values.astype(np.float32), y, w, fold, folds, rng)
    p = np.empty(rows.n)
    for k in range(folds):
        slope, start = _logistic(raw[fold != k], y[fold != k], w[fold != k])
        p[fold == k] = 1 / (1 + np.exp(-np.clip(slope * raw[fold == k] + start, -30, 30)))
    biggest = int(max((fold != k).sum() for k in range(folds)))
    notes = (f"Each model learnt from {MOST_FIT:,} of {biggest:,} rows, picked at random.",) if biggest > MOST_FIT \
        else ()
    return Odds(p, columns.used, columns.left_out, notes)


def infra(rows: Predictions, model: int = 0, odds: Odds | None = None, seed: int = 0) -> Infra:
    """Infra-marginality of one model for everyone and by group.

    Args:
        odds: of every row; None estimates them (`estimate_odds`).

    Returns:
        Infra. Intervals take the odds as given. Raises BadInput as `estimate_odds` and without predictions.
    """
    y, pred = _labels(rows), rows.models[model].pred
    if pred is None:
        raise BadInput("Decisions", "scores without a threshold", "predictions", "give a threshold")
    odds = estimate_odds(rows, seed=seed) if odds is None else odds
    p, star = odds.p, best(odds.p)
    apart = pred != star
    per_row = {"weighted": apart * np.abs(2 * p - 1), "plain": apart, "refused": apart & (star == 1),
               "accepted": apart & (star == 0)}
    signed = {"gain": (star == y).astype(float) - (pred == y), "off": y - p}
    code, level = rows.groups.code, rows.spec.level
    means = {name: group_means(u, rows.w, code, rows.n_attrs, rows.person, level) for name, u in per_row.items()}
    for name, u in signed.items():
        value, low, high, n = group_means((u + 1) / 2, rows.w, code, rows.n_attrs, rows.person, level)
        means[name] = (2 * value - 1, 2 * low - 1, 2 * high - 1, n)
    sizes = np.append(np.bincount(code, minlength=rows.n_attrs), rows.n)
    found = [GroupInfra(label, int(sizes[g]), bool(g < rows.n_attrs and sizes[g] < rows.spec.min_n),
                        {name: _told([float(x[g]) for x in means[name]]) for name in MEASURES})
             for g, label in enumerate([*rows.groups.labels, "everyone"])]
    everyone = found[-1]
    gain = everyone.numbers["gain"]
    agrees = gain.low <= everyone.numbers["weighted"].value <= gain.high
    gap, between = _gap(means["weighted"], sizes[:-1] >= max(rows.spec.min_n, 1), rows)
    return Infra(everyone, tuple(found[:-1]), gap, between, bool(agrees), odds)


def _labels(rows: Predictions) -> np.ndarray:
    if rows.y is None or len(rows.classes) != 2:
        found = "no labels" if rows.y is None else f"{len(rows.classes)} classes"
        raise BadInput("Odds of each person", found, "labels of two classes", "choose a label of two classes")
    if rows.n < FEWEST:
        raise BadInput("Odds of each person", f"{rows.n:,} rows", f"at least {FEWEST}", "bring more rows")
    return rows.y


def _left_out_scores(x: np.ndarray, y: np.ndarray, w: np.ndarray, fold: np.ndarray, folds: int,
                     rng: np.random.Generator) -> np.ndarray:
    """(N,) log odds of each row from a model of the other parts. One thread: several wait for each other where the
    cores are busy, and then take minutes."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    raw = np.empty(len(y))
    for k in range(folds):
        train = np.flatnonzero(fold != k)
        if len(train) > MOST_FIT:
            train = rng.permutation(train)[:MOST_FIT]
        trees = HistGradientBoostingClassifier(max_iter=50, learning_rate=0.12, max_leaf_nodes=15, min_samples_leaf=20,
                                               l2_regularization=1.0, max_bins=64, early_stopping=False,
                                               random_state=int(rng.integers(2**31)))
        with threadpool_limits(1, user_api="openmp"):
            trees.fit(x[train], y[train], sample_weight=w[train] / w[train].mean())
            raw[fold == k] = trees.decision_function(x[fold == k])
    return raw


def _logistic(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of a weighted logistic curve, by Newton steps; a faint ridge keeps the slope near 1."""
    design, beta, weight = np.stack([x, np.ones_like(x)], 1), np.array([1.0, 0.0]), w / w.mean()
    ridge, aim = np.diag([1.0, 1e-6]), np.array([1.0, 0.0])
    for _ in range(25):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        slope = design.T @ (weight * (y - p)) - ridge @ (beta - aim)
        curve = (design * (weight * p * (1 - p))[:, None]).T @ design + ridge
        step = np.linalg.solve(curve, slope)
        beta = beta + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    return float(beta[0]), float(beta[1])


def _told(four: list[float]) -> Value:
    value, low, high, n = four
    if not math.isfinite(value):
        return Value(math.nan, math.nan, math.nan, 0.0, "0 rows", "")
    return Value(value, low, high, n, None, HOW)


def _gap(means: tuple[np.ndarray, ...], keep: np.ndarray, rows: Predictions) -> tuple[Value, tuple[str, ...]]:
    """The largest difference of the weighted measure between groups."""
    at = np.flatnonzero(keep)
    if len(at) < 2:
        return Value(math.nan, math.nan, math.nan, 0.0, "fewer than two groups with enough rows", ""), ()
    value, n = means[0][:-1][at], means[3][:-1][at]
    low, high = gap_interval(value, n, rows.spec.level)
    ends = (rows.groups.labels[at[int(value.argmin())]], rows.groups.labels[at[int(value.argmax())]])
    how = "pairs of groups (Newcombe), p taken as given"
    return Value(float(np.ptp(value)), float(low), float(high), float(n.sum()), None, how), ends
