"""Means and shares over cells of rows, honest about weights and about persons with several rows.

Shapes: N rows, K cells. Effective rows are Kish's with weights; where rows of a person agree they are fewer, so that
mean (1 - mean) / effective rows is the variance between persons.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from core.inference import wilson


@dataclass(frozen=True)
class CellRates:
    """(K,) each: mean, ends of its interval, n rows, effective rows, variance of the mean (between units)."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    effective: np.ndarray
    variance: np.ndarray


def cell_rates(hit: np.ndarray, cell: np.ndarray, cells: int, w: np.ndarray, unit: np.ndarray | None = None,
               level: float = 0.95) -> CellRates:
    """Shares with Wilson's interval at the effective rows.

    Args:
        hit: (N,) 0 or 1. cell: (N,) in 0..cells-1. w: (N,) weights. unit: (N,) codes of persons, None: each row is one.

    Returns:
        CellRates; NaN for a cell without rows.
    """
    value, n, kish, variance, units = _means(hit, cell, cells, w, unit)
    effective = kish
    if unit is not None:
        by_unit = np.divide(value * (1 - value), variance, out=units, where=variance > 1e-15)
        effective = np.minimum(kish, by_unit)
    low, high = wilson(np.nan_to_num(value) * effective, effective, level)
    return CellRates(value, low, high, n, effective, variance)


def cell_means(value: np.ndarray, cell: np.ndarray, cells: int, w: np.ndarray, unit: np.ndarray | None = None,
               level: float = 0.95) -> CellRates:
    """Means of numbers with a normal interval from the spread between units; no ends (NaN) for a cell with one unit."""
    mean, n, kish, variance, units = _means(value, cell, cells, w, unit)
    spread = np.where(units > 1, variance * units / np.maximum(units - 1, 1), np.nan)
    half = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(spread)
    return CellRates(mean, mean - half, mean + half, n, kish, spread)


def _means(value, cell, cells, w, unit):
    """Mean, rows, Kish's effective rows, variance between units, and number of units of every cell."""
    mass, n = np.bincount(cell, w, cells), np.bincount(cell, minlength=cells)
    square = np.bincount(cell, w**2, cells)
    kish = np.divide(mass**2, square, out=np.zeros(cells), where=square > 0)
    mean = np.divide(np.bincount(cell, w * value, cells), mass, out=np.full(cells, np.nan), where=mass > 0)
    off = w * (value - mean[cell])
    if unit is None:
        sums, home, units = off, cell, n
    else:
        pairs, place = np.unique(cell * (int(unit.max(initial=0)) + 1) + unit, return_inverse=True)
        sums, home = np.bincount(place, off, len(pairs)), pairs // (int(unit.max(initial=0)) + 1)
        units = np.bincount(home, minlength=cells)
    between = np.bincount(home, sums**2, cells)
    variance = np.divide(between, mass**2, out=np.full(cells, np.nan), where=mass > 0)
    return mean, n, kish, variance, units.astype(np.float64)
