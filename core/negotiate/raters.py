"""Do raters agree? ICC(2,1) on ratings and Kendall's W on rankings, for all and within groups of raters.

Shapes: N things that are rated, K raters. Both compare only raters who rated everything; `n_raters` says how many.
ICC(2,1) is absolute agreement of single raters drawn from a population (two-way random effects):

    (MSR - MSE) / (MSR + (K-1) MSE + K (MSC - MSE) / N)

with mean squares of rows (things), columns (raters) and the rest. Kendall's W, with the correction for ties:

    W = 12 S / (K^2 (N^3 - N) - K sum_raters sum_ties (t^3 - t)),  S = squared deviations of the rank sums.

Sources: Shrout and Fleiss 1979; McGraw and Wong 1996 (interval); Kendall and Babington Smith 1939.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from core.types import BadInput

NAN = float("nan")


@dataclass(frozen=True)
class Icc:
    """value, and the ends of its interval; NaN where fewer than two things or raters, or nothing varies."""

    value: float
    low: float = NAN
    high: float = NAN


def icc(ratings: np.ndarray, level: float = 0.95) -> Icc:
    """Ratings (N, K), none missing -> ICC(2,1) with the F interval of McGraw and Wong.

    >>> round(icc(np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])).value, 4)
    0.6667
    """
    x = _table(ratings)
    n, k = x.shape
    if n < 2 or k < 2:
        return Icc(NAN)
    rows, cols, mean = x.mean(1), x.mean(0), x.mean()
    msr, msc = k * ((rows - mean) ** 2).sum() / (n - 1), n * ((cols - mean) ** 2).sum() / (k - 1)
    mse = ((x - rows[:, None] - cols + mean) ** 2).sum() / ((n - 1) * (k - 1))
    below = msr + (k - 1) * mse + k * (msc - mse) / n
    if below <= 1e-12 * max(float((x**2).mean()), 1.0):
        return Icc(NAN)
    value = float((msr - mse) / below)
    if mse <= 1e-12 * msr:  # raters differ by a constant at most: F is infinite
        return Icc(value)
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    v = (a * msc + b * mse) ** 2 / ((a * msc) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1)))
    tail = 1 - (1 - level) / 2
    up, down = stats.f.ppf(tail, n - 1, v), stats.f.ppf(tail, v, n - 1)
    rest = k * msc + (k * n - k - n) * mse
    low = n * (msr - up * mse) / (up * rest + n * msr)
    high = n * (down * msr - mse) / (rest + n * down * msr)
    return Icc(value, float(low), float(high))


def kendall(ratings: np.ndarray) -> tuple[float, float]:
    """Ratings (N, K), none missing, ranked within each rater -> W in [0, 1] and its p value (chi-square, K (N-1) W).

    NaN where there are fewer than two things or raters, or every rater gives one rating to all.

    >>> kendall(np.array([[1, 10], [2, 20], [3, 30]]))[0]
    1.0
    """
    x = _table(ratings)
    n, k = x.shape
    if n < 2 or k < 2:
        return NAN, NAN
    ranks = stats.rankdata(x, axis=0)
    spread = float(((ranks.sum(1) - ranks.sum(1).mean()) ** 2).sum())
    per_rater = [np.unique(ranks[:, j], return_counts=True)[1] for j in range(k)]
    ties = sum(float((t.astype(float) ** 3 - t).sum()) for t in per_rater)
    below = k**2 * (n**3 - n) - k * ties
    if below <= 0:
        return NAN, NAN
    w = 12 * spread / below
    return w, float(stats.chi2.sf(k * (n - 1) * w, n - 1))


def agreement_table(ratings: np.ndarray, groups: Sequence[str], level: float = 0.95) -> pd.DataFrame:
    """How far raters agree, everybody first and then each group of raters.

    Args:
        ratings: (N, K), NaN where a rater did not rate. groups: (K,) the group of each rater.
    Returns:
        columns group, n_raters (who rated everything), icc, icc_low, icc_high, w, p.
    """
    x = np.asarray(ratings, dtype=np.float64)
    named = np.asarray(list(groups), dtype=object)
    if x.ndim != 2 or len(named) != x.shape[1]:
        raise BadInput("Raters", f"{len(named)} groups", "one for each rater", "name each rater's group")
    whole = np.isfinite(x).all(0)
    rows = []
    for group in ["everyone", *dict.fromkeys(named.tolist())]:
        chosen = whole & ((named == group) | (group == "everyone"))
        found = icc(x[:, chosen], level)
        w, p = kendall(x[:, chosen])
        rows.append({"group": group, "n_raters": int(chosen.sum()), "icc": found.value, "icc_low": found.low,
                     "icc_high": found.high, "w": w, "p": p})
    return pd.DataFrame(rows)


def _table(ratings: np.ndarray) -> np.ndarray:
    x = np.asarray(ratings, dtype=np.float64)
    if x.ndim != 2 or not np.isfinite(x).all():
        raise BadInput("Ratings", "a missing rating or no table", "things x raters, every cell a number",
                       "leave out raters who did not rate everything")
    return x
