"""Rates as shares of rows: how many rows stand behind each, and closed-form intervals of their gap, ratio and worst."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.counts import n_of, partition
from core.gaps import gap_interval, ratio_interval, worst_interval
from core.metrics.measure import Measure

Ends = tuple[np.ndarray, np.ndarray]


def denominator(name: str, counts: np.ndarray) -> np.ndarray | None:
    """Weight of the rows among which a rate is a share (counts (..., C, C)); None for what is no share."""
    among: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        **dict.fromkeys(("accuracy", "error_rate", "selection_rate", "prevalence"), lambda c: c.sum((-2, -1))),
        **dict.fromkeys(("tpr", "fnr"), lambda c: c[..., 1, :].sum(-1)),
        **dict.fromkeys(("fpr", "tnr"), lambda c: c[..., 0, :].sum(-1)),
        **dict.fromkeys(("ppv", "fdr"), lambda c: c[..., :, 1].sum(-1)),
        **dict.fromkeys(("npv", "for"), lambda c: c[..., :, 0].sum(-1)),
    }
    return among[name](counts) if name in among else None


def share_rows(name: str, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray | None:
    """Counts (..., G, C, C) and effective rows (..., G) of groups -> (..., G) effective rows behind the rate."""
    among = denominator(name, counts)
    if among is None:
        return None
    total = counts.sum((-2, -1))
    return np.divide(among * sizes, total, out=np.zeros(np.broadcast_shapes(among.shape, total.shape)), where=total > 0)


def effective_rows(counts: np.ndarray, effective: np.ndarray, by: str) -> np.ndarray:
    """Effective rows (..., G) of the groups of a partition, put together from cells.

    Args:
        counts: (..., A, C, C) weighted. effective: (..., C, A) Kish's effective rows of the cells.
    """
    mass = np.swapaxes(counts.sum(-1), -1, -2)
    squares = np.divide(mass**2, effective, out=np.zeros_like(mass), where=effective > 0)
    total, spread = n_of(mass, by), n_of(squares, by)
    return np.divide(total**2, spread, out=np.zeros_like(total), where=spread > 0)


def compared(how: str, rate: np.ndarray, rows: np.ndarray, higher_is_better: bool | None, level: float) -> Ends | None:
    """The closed-form interval of a reduction of rates (..., G); undefined groups (NaN) are left out of all tables
    alike. None where the reduction has no closed form, or no group is defined everywhere."""
    known = np.isfinite(rate).reshape(-1, rate.shape[-1]).all(0) & (rows > 0).reshape(-1, rows.shape[-1]).all(0)
    if how not in ("gap", "ratio", "worst") or not known.any():
        return None
    rate, rows = rate[..., known], rows[..., known]
    if how == "worst":
        return worst_interval(rate, rows, bool(higher_is_better), level)
    return (gap_interval if how == "gap" else ratio_interval)(rate, rows, level)


def span(measure: Measure, counts: np.ndarray, effective: np.ndarray, n: np.ndarray, min_n: int,
         level: float) -> Ends | None:
    """The closed-form interval of a measure of one rate; None where it has none.

    Args:
        counts: (..., A, C, C). effective, n: (..., C, A) effective and plain rows of the cells. min_n: smaller groups
            are left out of "worst".
    """
    if len(measure.parts) != 1 or measure.how not in ("gap", "ratio", "worst") or not np.isfinite(counts).all():
        return None
    metric, groups = measure.parts[0], partition(counts, measure.by)
    rows = share_rows(metric.name, groups, effective_rows(counts, effective, measure.by))
    if rows is None:
        return None
    rate = metric.of(groups)
    if measure.how == "worst" and min_n > 0:
        rate = np.where(n_of(n, measure.by) < min_n, np.nan, rate)
    return compared(measure.how, rate, rows, metric.higher_is_better, level)
