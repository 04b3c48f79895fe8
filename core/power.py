"""How many rows a comparison of two rates needs, and how small a difference the rows at hand can show.

All differences are tested two-sided with the pooled normal test; sizes are rows behind the rate (for the true positive
rate: positives). Arrays broadcast. Source: Fleiss, Levin and Paik 2003, chapter 4 (without continuity correction).
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from core.types import BadInput

MOST = 1e9
STEPS = 60


def rows_each(p: np.ndarray | float, q: np.ndarray | float, power: float = 0.8,
              level: float = 0.95) -> np.ndarray:
    """Rows that both groups need when they are equally large; `inf` where the rates are equal.

    >>> int(rows_each(0.5, 0.6))
    388
    """
    za, zb = _quantiles(power, level)
    p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        n = (za * np.sqrt(2 * middle * (1 - middle)) + zb * np.sqrt(p * (1 - p) + q * (1 - q))) ** 2 / (p - q) ** 2
    return np.where(p == q, np.inf, np.ceil(n))


def power_of(p: np.ndarray, n: np.ndarray, q: np.ndarray, m: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Chance to see the difference of true rates p and q with n and m rows."""
    za, _ = _quantiles(0.5, level)
    p, n, q, m = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (p, n, q, m)))
    middle = np.divide(p * n + q * m, n + m, out=np.zeros(p.shape), where=n + m > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        null = np.sqrt(middle * (1 - middle) * (1 / n + 1 / m))
        own = np.sqrt(p * (1 - p) / n + q * (1 - q) / m)
        z = np.where(own > 0, (np.abs(p - q) - za * null) / own, np.where(np.abs(p - q) > za * null, np.inf, -np.inf))
    from scipy.special import ndtr

    return np.where((n > 0) & (m > 0), ndtr(z), 0.0)


def rows_beside(p: np.ndarray, q: np.ndarray, m: np.ndarray, power: float = 0.8, level: float = 0.95) -> np.ndarray:
    """Rows that a group of rate p needs beside another of rate q that has m rows; `inf` where no number is enough."""
    p, q, m = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (p, q, m)))
    _quantiles(power, level)
    low, high = np.zeros(p.shape), np.full(p.shape, np.log(MOST))
    never = power_of(p, np.exp(high), q, m, level) < power
    for _ in range(STEPS):
        middle = (low + high) / 2
        short = power_of(p, np.exp(middle), q, m, level) < power
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(never, np.inf, np.ceil(np.exp(high) - 1e-6))


def least_difference(n: np.ndarray, q: np.ndarray, m: np.ndarray, power: float = 0.8,
                     level: float = 0.95) -> np.ndarray:
    """The smallest difference that n rows would show beside rate q on m rows, away from q on the side that has more
    room; NaN where even the largest would not be seen."""
    n, q, m = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (n, q, m)))
    _quantiles(power, level)
    room = np.where(q > 0.5, -q, 1 - q)
    low, high = np.zeros(n.shape), np.ones(n.shape)
    never = power_of(q + room, n, q, m, level) < power
    for _ in range(STEPS):
        middle = (low + high) / 2
        short = power_of(q + room * middle, n, q, m, level) < power
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.where(never, np.nan, np.abs(room) * high)


def _quantiles(power: float, level: float) -> tuple[float, float]:
    for name, value in (("Power", power), ("Confidence level", level)):
        if not 0 < value < 1:
            raise BadInput(name, f"{value:g}", "a number between 0 and 1", "use 0.8" if name == "Power" else "use 0.95")
    normal = NormalDist()
    return normal.inv_cdf((1 + level) / 2), normal.inv_cdf(power)
