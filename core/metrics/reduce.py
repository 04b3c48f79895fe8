"""One number from the values of several groups. Written once, for every metric.

Undefined values (NaN) are left out; what is left out is for the caller to tell. With fewer than two defined groups
there is nothing to compare: gaps and ratios are NaN then, not 0 and 1.
"""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import BadInput

REDUCTIONS = ("worst", "gap", "ratio", "mean", "to_overall", "to_reference")
COMPARISONS = ("gap", "ratio", "to_overall", "to_reference")


def reduce(
    values: np.ndarray,
    how: str,
    higher_is_better: bool | None,
    reference: int = 0,
    overall: np.ndarray | None = None,
) -> np.ndarray:
    """Values (..., G) of groups -> (...).

    Args:
        how: "worst" (lowest, or highest where lower is better), "gap" (largest - smallest), "ratio" (smallest /
            largest), "mean" (of the groups, unweighted), "to_overall" (largest distance from `overall`),
            "to_reference" (largest distance from the group numbered `reference`).
        higher_is_better: the metric's direction; None has no worst.
        overall: (...) the value over all rows pooled, for "to_overall".

    >>> float(reduce(np.array([0.75, 0.25, 0.0]), "gap", True))
    0.75
    """
    values = np.asarray(values, dtype=np.float64)
    if how not in REDUCTIONS:
        raise BadInput("Reduction", repr(how), "one of " + ", ".join(REDUCTIONS), "use gap")
    if how == "worst":
        if higher_is_better is None:
            raise BadInput("Worst group", "a metric without a better direction", "a metric with one", "use the gap")
        return _low(values) if higher_is_better else _high(values)
    defined = np.isfinite(values)
    if how == "mean":
        return divide(np.where(defined, values, 0.0).sum(-1), defined.sum(-1))
    if how == "gap":
        found = _high(values) - _low(values)
    elif how == "ratio":
        found = divide(_low(values), _high(values))
    elif how == "to_reference":
        found = _high(np.abs(values - values[..., reference, None]))
    elif overall is None:
        raise BadInput("Gap to overall", "no overall value", "the value over all rows", "give `overall`")
    else:
        found = _high(np.abs(values - np.asarray(overall)[..., None]))
    return np.where(defined.sum(-1) > 1, found, np.nan)


def extremes(values: np.ndarray, how: str, higher_is_better: bool | None, reference: int = 0,
             overall: float | None = None) -> tuple[int, ...]:
    """The groups of values (G,) that a reduction speaks of: the worst one, or the two ends of a gap (lowest first)."""
    values = np.asarray(values, dtype=np.float64)
    enough = 2 if how in COMPARISONS else 1
    if how == "mean" or np.isfinite(values).sum() < enough:
        return ()
    if how == "worst":
        return (int(np.nanargmin(values) if higher_is_better else np.nanargmax(values)),)
    if how in ("gap", "ratio"):
        return int(np.nanargmin(values)), int(np.nanargmax(values))
    centre = values[reference] if how == "to_reference" else overall
    if centre is None or not np.isfinite(centre):
        return ()
    return (int(np.nanargmax(np.abs(values - centre))),)


def _low(values: np.ndarray) -> np.ndarray:
    """Smallest defined value; NaN (without a warning) where none is."""
    return np.fmin.reduce(values, axis=-1)


def _high(values: np.ndarray) -> np.ndarray:
    return np.fmax.reduce(values, axis=-1)
