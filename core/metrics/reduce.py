"""One number from the values of several groups. Written once, for every metric.

Undefined values (NaN) are left out; what is left out is for the caller to tell. With fewer than two defined groups
there is nothing to compare: gaps and ratios are NaN then, not 0 and 1.
"""

from __future__ import annotations

import numpy as np

from core.metrics.cells import divide
from core.types import BadInput

REDUCTIONS = ("worst", "gap", "ratio", "mean", "to_overall", "to_reference", "sum_to_overall", "to_mean", "power_mean")
COMPARISONS = ("gap", "ratio", "to_overall", "to_reference", "sum_to_overall", "to_mean")
POWER = 5.0  # the generalised mean leans this hard towards the worst groups


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
            "to_reference" (largest distance from the group numbered `reference`), "sum_to_overall" (distances from
            `overall`, summed over groups), "to_mean" (largest distance from the mean of the groups), "power_mean"
            (generalised mean with power -5, or 5 where lower is better: between the mean and the worst).
        higher_is_better: the metric's direction; None has no worst.
        overall: (...) the value over all rows pooled, for "to_overall" and "sum_to_overall".

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
    mean = divide(np.where(defined, values, 0.0).sum(-1), defined.sum(-1))
    if how == "mean":
        return mean
    if how == "power_mean":
        return power_mean(values, -POWER if higher_is_better else POWER)
    if how == "gap":
        found = _high(values) - _low(values)
    elif how == "ratio":
        found = divide(_low(values), _high(values))
    elif how == "to_reference":
        found = _high(np.abs(values - values[..., reference, None]))
    elif how == "to_mean":
        found = _high(np.abs(values - mean[..., None]))
    elif overall is None:
        raise BadInput("Gap to overall", "no overall value", "the value over all rows", "give `overall`")
    else:
        distance = np.abs(values - np.asarray(overall)[..., None])
        found = _high(distance) if how == "to_overall" else np.where(defined, distance, 0.0).sum(-1)
    return np.where(defined.sum(-1) > 1, found, np.nan)


def power_mean(values: np.ndarray, power: float = -POWER) -> np.ndarray:
    """Generalised mean of values (..., G) of 0 or more -> (...): (mean of value^power)^(1/power).

    Undefined values are left out; a 0 under a negative power gives 0, a value below 0 NaN.

    Source: Borkan, Dixon, Sorensen, Thain & Vasserman 2019, with power -5 over AUCs.

    >>> float(power_mean(np.array([0.9, 0.9, 0.5, np.nan])).round(4))
    0.6105
    """
    values = np.asarray(values, dtype=np.float64)
    defined = np.isfinite(values)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        # against the largest value, so that a power of small values does not run out of range
        largest = _high(np.where(defined, values, np.nan))[..., None]
        scaled = np.where(defined, values / np.where(largest > 0, largest, 1.0), np.nan)
        raised = np.where(defined, np.where(scaled == 0, np.inf if power < 0 else 0.0, scaled**power), 0.0)
        found = largest[..., 0] * divide(raised.sum(-1), defined.sum(-1)) ** (1.0 / power)
    below = (defined & (values < 0)).any(-1)
    return np.where(below, np.nan, np.where(largest[..., 0] == 0, 0.0, found))


def extremes(values: np.ndarray, how: str, higher_is_better: bool | None, reference: int = 0,
             overall: float | None = None) -> tuple[int, ...]:
    """The groups of values (G,) that a reduction speaks of: the worst one, or the two ends of a gap (lowest first)."""
    values = np.asarray(values, dtype=np.float64)
    enough = 2 if how in COMPARISONS else 1
    if how in ("mean", "power_mean", "sum_to_overall") or np.isfinite(values).sum() < enough:
        return ()
    if how == "worst":
        return (int(np.nanargmin(values) if higher_is_better else np.nanargmax(values)),)
    if how in ("gap", "ratio"):
        return int(np.nanargmin(values)), int(np.nanargmax(values))
    centre = {"to_reference": values[reference], "to_mean": np.nanmean(values)}.get(how, overall)
    if centre is None or not np.isfinite(centre):
        return ()
    return (int(np.nanargmax(np.abs(values - centre))),)


def _low(values: np.ndarray) -> np.ndarray:
    """Smallest defined value; NaN (without a warning) where none is."""
    return np.fmin.reduce(values, axis=-1)


def _high(values: np.ndarray) -> np.ndarray:
    return np.fmax.reduce(values, axis=-1)
