"""Pairs of like people of two groups: features as numbers, the propensity score, nearest neighbours, balance.

N rows, D encoded columns, n1 people to be matched, n2 candidates. Nothing loops over people: every round all who have
no partner propose to the nearest free one, and each of those keeps the nearest who proposed.
Sources: Rosenbaum & Rubin 1983 and 1985 (propensity score, calipers, Mahalanobis within them); Austin 2011 (0.2
standard deviations of the logit).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from core.audit.strata import stratify
from core.audit.words import is_numeric
from core.types import BadInput

MAX_COLUMNS = 200
CANDIDATES = 32
ROUNDS = 200
APART = 4.0  # calipers between people who must not be paired


class Encoded(NamedTuple):
    """Features as numbers: x (N, D) with mean 0 and standard deviation 1, D columns as (feature, value), and what was
    left out as (feature, reason)."""

    x: np.ndarray
    columns: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Pairs:
    """first (P,), second (P,): places of the partners; unmatched people of the first group appear in neither."""

    first: np.ndarray
    second: np.ndarray


def encode(features: pd.DataFrame, names: Sequence[str]) -> Encoded:
    """Numbers as they are (missing ones take the mean, beside a column that says so), words as one column each with
    rare ones merged. Raises BadInput where nothing can be told apart or there are too many columns."""
    blocks: list[np.ndarray] = []
    columns: list[tuple[str, str]] = []
    left_out: list[tuple[str, str]] = []
    for name in names:
        column = features[name]
        try:
            block, words = _numbers(column) if is_numeric(column) else _words(name, column)
        except BadInput as error:
            left_out.append((name, error.found))
            continue
        varies = block.std(0) > 1e-12
        if not varies.any():
            left_out.append((name, "one value"))
            continue
        blocks.append(block[:, varies])
        columns += [(name, word) for word, kept in zip(words, varies, strict=True) if kept]
    if len(columns) > MAX_COLUMNS:
        raise BadInput("Features", f"{len(columns)} columns once words are parted", f"at most {MAX_COLUMNS}",
                       "choose fewer features")
    x = np.concatenate(blocks, 1) if blocks else np.zeros((len(features), 0))
    return Encoded((x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1), tuple(columns), tuple(left_out))


def _numbers(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    known = np.isfinite(values)
    if not known.any():
        raise BadInput(str(column.name), "no number", "numbers", "choose another feature")
    values = values / max(float(np.abs(values[known]).max()), 1e-300)  # the squares of huge numbers would be infinite
    filled = np.where(known, values, values[known].mean())
    return np.stack([filled, (~known).astype(np.float64)], 1), ["", "missing"]


def _words(name: str, column: pd.Series) -> tuple[np.ndarray, list[str]]:
    found = stratify(name, column)
    block = np.eye(len(found.labels))[found.code]
    labels = list(found.labels)
    return (block[:, :1], labels[:1]) if len(labels) == 2 else (block, labels)


def propensity(x: np.ndarray, is_first: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """(N,) logit of the chance to be of the first group, from a logistic regression with a slight ridge penalty."""
    from sklearn.linear_model import LogisticRegression

    if not x.shape[1]:
        return np.zeros(len(x))
    model = LogisticRegression(C=10.0, max_iter=1000)
    return model.fit(x, is_first, sample_weight=weight).decision_function(x)


def caliper_width(logit: np.ndarray, is_first: np.ndarray, share: float = 0.2) -> float:
    """`share` of the pooled standard deviation of the logit within the groups; 1 where the logit does not vary."""
    spread = float(np.sqrt((logit[is_first].var() + logit[~is_first].var()) / 2))
    return share * spread if spread > 1e-9 else 1.0


def nearest_pairs(logit: np.ndarray, is_first: np.ndarray, caliper: float, rng: np.random.Generator, *,
                  cell: np.ndarray | None = None, x: np.ndarray | None = None, replace: bool = False) -> Pairs:
    """Partners of the first group's people in the second group, within the caliper and the same cell.

    Args:
        logit: (N,). is_first: (N,) bool. caliper: largest difference of the logit.
        rng: breaks ties (equal people) at random. cell: (N,) codes that must be equal, or None.
        x: (N, D) encoded features: of the candidates nearest in the logit the nearest in Mahalanobis distance is
            taken; None takes the nearest in the logit. replace: one person may be the partner of several.
    """
    one, other = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    jitter = rng.uniform(-1e-7, 1e-7, len(logit))
    where = np.stack([logit / caliper + jitter, np.zeros(len(logit)) if cell is None else cell * APART], 1)
    white = None if x is None or not x.shape[1] else _whitened(x, is_first)
    partner = np.full(len(one), -1)
    free, taken = np.arange(len(one)), np.zeros(len(other), bool)
    for _ in range(1 if replace else ROUNDS):
        if not len(free) or taken.all():
            break
        there = np.flatnonzero(~taken)
        candidate, cost, cut = _candidates(where, white, one[free], other[there])
        got = cost.argmin(1) if replace else _propose(candidate, cost, len(there))
        good = (got >= 0) & np.isfinite(cost[np.arange(len(free)), np.maximum(got, 0)])
        partner[free[good]] = there[candidate[np.flatnonzero(good), got[good]]]
        taken[partner[free[good]]] = True
        free = free[~good & cut]
    found = np.flatnonzero(partner >= 0)
    return Pairs(one[found], other[partner[found]])


def _candidates(where: np.ndarray, white: np.ndarray | None, one: np.ndarray,
                other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nearest of `other` for each of `one`: places (n1, k) in `other`, cost (n1, k) with inf beyond the caliper, and
    (n1,) whether there may be more within the caliper."""
    from sklearn.neighbors import NearestNeighbors

    k = min(CANDIDATES, len(other))
    apart, candidate = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(where[other]).kneighbors(where[one])
    inside = apart <= 1.0 + 1e-6
    cut = inside[:, -1] & (k < len(other))
    cost = apart
    if white is not None:
        cost = np.stack([((white[one] - white[other[candidate[:, c]]]) ** 2).sum(1) for c in range(k)], 1)
    return candidate, np.where(inside, cost, np.inf), cut


def _propose(candidate: np.ndarray, cost: np.ndarray, n_other: int) -> np.ndarray:
    """(n1,) the column of `candidate` each one got, -1 for none: all without a partner propose to the nearest that is
    free, who keeps the nearest of those who proposed."""
    got = np.full(len(candidate), -1)
    cost = cost.copy()
    taken = np.zeros(n_other, bool)
    waiting = np.flatnonzero(np.isfinite(cost).any(1))
    while len(waiting):
        choice = cost[waiting].argmin(1)
        wanted, price = candidate[waiting, choice], cost[waiting, choice]
        order = np.lexsort((price, wanted))
        wins = order[np.unique(wanted[order], return_index=True)[1]]
        got[waiting[wins]] = choice[wins]
        taken[wanted[wins]] = True
        waiting = np.delete(waiting, wins)
        cost[waiting] = np.where(taken[candidate[waiting]], np.inf, cost[waiting])
        waiting = waiting[np.isfinite(cost[waiting]).any(1)]
    return got


def _whitened(x: np.ndarray, is_first: np.ndarray) -> np.ndarray:
    """(N, D') coordinates in which the Euclidean distance is Mahalanobis' with the pooled covariance."""
    centred = np.where(is_first[:, None], x - x[is_first].mean(0), x - x[~is_first].mean(0))
    value, vector = np.linalg.eigh(centred.T @ centred / max(len(x) - 2, 1))
    keep = value > 1e-8 * max(value.max(), 1e-300)
    return x @ (vector[:, keep] / np.sqrt(value[keep]))


def balance(encoded: Encoded, logit: np.ndarray, is_first: np.ndarray, pairs: Pairs,
            weight: np.ndarray) -> pd.DataFrame:
    """Standardised mean differences first - second: one row per encoded column and one of the propensity's logit.

    Returns:
        feature, value ("" for a number), before, after: in standard deviations pooled over both groups before matching
        (NaN where a column does not vary, or nobody was matched).
    """
    x = np.concatenate([encoded.x, logit[:, None]], 1)

    def mean(rows: np.ndarray, by: np.ndarray) -> np.ndarray:
        return by @ x[rows] / by.sum() if len(rows) else np.full(x.shape[1], np.nan)

    one, other = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    first, second = mean(one, weight[one]), mean(other, weight[other])
    spread = np.sqrt((weight[one] @ (x[one] - first) ** 2 / weight[one].sum()
                      + weight[other] @ (x[other] - second) ** 2 / weight[other].sum()) / 2)
    w = weight[pairs.first]
    with np.errstate(invalid="ignore", divide="ignore"):
        before = np.where(spread > 1e-12, (first - second) / spread, np.nan)
        after = np.where(spread > 1e-12, (mean(pairs.first, w) - mean(pairs.second, w)) / spread, np.nan)
    names = [*encoded.columns, ("propensity", "")]
    return pd.DataFrame({"feature": [n for n, _ in names], "value": [v for _, v in names], "before": before,
                         "after": after})


def overlap(logit: np.ndarray, is_first: np.ndarray, bins: int = 40) -> float:
    """Area shared by the two groups' histograms of the logit: 1 the same, 0 apart."""
    low, high = float(logit.min()), float(logit.max())
    if high - low < 1e-12:
        return 1.0
    edges = np.linspace(low, high, bins + 1)
    one, other = (np.histogram(part, edges)[0] / len(part) for part in (logit[is_first], logit[~is_first]))
    return float(np.minimum(one, other).sum())
