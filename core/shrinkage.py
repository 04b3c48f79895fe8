"""Rates of small groups that borrow strength from the others: a hierarchical beta-binomial model, summed on a grid.

Each group's rate comes from a Beta(m q, (1 - m) q) that the groups share, with m uniform and r = (1 + q)^(-1/2), which
is the spread between groups in units of its largest possible value, uniform between 0 and 1. Nothing is plugged in: the
posterior of (m, r) is summed over a grid that is laid where its mass is, so that the intervals know that the common
rate and the spread of the groups are estimated too. Source: Gelman et al., Bayesian Data Analysis, chapter 5 (the same
prior but for the 1 that keeps it proper).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.types import BadInput

SIDE = 32  # points of the grid along each axis
WIDE = 9.0  # the logits of m and r lie between minus this and this
DEEP = 14.0  # log density below the highest that is looked at
ZOOMS = 6
KEPT = 1e-4  # mass of grid points that is left out
STEPS = 30


@dataclass(frozen=True)
class Shrunken:
    """mean, low, high (G,): posterior mean and interval of each group's rate, NaN without rows; weight (G,): share that
    the common rate has in the mean; common: the common rate; spread: standard deviation between groups."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray
    common: float
    spread: float


def shrink(k: np.ndarray, n: np.ndarray, level: float = 0.95) -> Shrunken:
    """Shrunken rates of k among n.

    Args:
        k, n: (G,) events and rows (effective rows with weights; need not be whole); n may be 0.

    Raises:
        BadInput: fewer than two groups with rows, or k outside 0..n.
    """
    k, n = (np.asarray(v, dtype=np.float64) for v in (k, n))
    there = n > 0
    if there.sum() < 2:
        raise BadInput("Groups with rows", str(int(there.sum())), "at least 2", "choose attributes with more groups")
    if (k < 0).any() or (k > n + 1e-9).any():
        raise BadInput("Events", "more than rows, or fewer than 0", "between 0 and the rows", "check the counts")
    a, b, w = _posterior(k[there], n[there])
    up, down = k[there, None] + a, n[there, None] - k[there, None] + b
    out = np.full((4, len(n)), np.nan)
    out[0, there] = (up / (up + down)) @ w
    out[1:3, there] = _quantiles(up, down, w, level)
    out[3, there] = ((a + b) / (n[there, None] + a + b)) @ w
    common = float((a / (a + b)) @ w)
    spread = float(np.sqrt((a * b / ((a + b) ** 2 * (a + b + 1))) @ w))
    return Shrunken(out[0], out[1], out[2], out[3], common, spread)


def _posterior(k: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(P,) beta parameters a, b and weights of the grid points that carry the mass: for every r its own points of m."""
    ends = (-WIDE, WIDE)
    for _ in range(3):
        spread = np.linspace(*ends, SIDE)
        r = 1 / (1 + np.exp(-spread))
        m, log, step = _along_m(k, n, r)
        log = log + np.log(step * r * (1 - r))[:, None]  # the Jacobian of r's logit; that of m is in `log`
        w = np.exp(log - log.max())
        w /= w.sum()
        ends = _around(spread, w.sum(1))
    q = np.broadcast_to((1 / r**2 - 1)[:, None], m.shape)
    flat = w.ravel()
    order = np.argsort(-flat)
    kept = order[: int(np.searchsorted(np.cumsum(flat[order]), 1 - KEPT)) + 1]
    return (m * q).ravel()[kept], ((1 - m) * q).ravel()[kept], flat[kept] / flat[kept].sum()


def _along_m(k: np.ndarray, n: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every r (S,): points of m (S, SIDE) around the highest density, log density of m's logit there, (S,) their
    distance."""
    low, high = np.full(len(r), -WIDE), np.full(len(r), WIDE)
    q = (1 / r**2 - 1)[:, None]
    for _ in range(ZOOMS):
        logit = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, SIDE)
        m, step = 1 / (1 + np.exp(-logit)), (high - low) / (SIDE - 1)
        log = _marginal(k, n, m * q, (1 - m) * q) + np.log(m * (1 - m))
        inside = log > log.max(1, keepdims=True) - DEEP
        first, last = inside.argmax(1), SIDE - 1 - inside[:, ::-1].argmax(1)
        row = np.arange(len(r))
        low, high = logit[row, first] - step, logit[row, last] + step
    return m, log, step


def _marginal(k: np.ndarray, n: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Log probability of the counts at every grid point, up to a constant."""
    from scipy.special import betaln

    each = betaln(a[..., None] + k, b[..., None] + n - k) - betaln(a, b)[..., None]
    return each.sum(-1)


def _around(axis: np.ndarray, mass: np.ndarray) -> tuple[float, float]:
    """The part of an axis that carries mass, a point wider on each side."""
    inside = np.flatnonzero(mass > KEPT / SIDE)
    step = axis[1] - axis[0]
    return float(axis[inside[0]] - step), float(axis[inside[-1]] + step)


def _quantiles(up: np.ndarray, down: np.ndarray, w: np.ndarray, level: float) -> np.ndarray:
    """(2, G) quantiles of mixtures of betas; up, down (G, P): Newton's steps from the quantile of one beta of the same
    mean and variance, kept inside a bracket."""
    from scipy.special import betainc, betaincinv, betaln

    total = up + down
    mean = (up / total) @ w
    variance = (up * (up + 1) / (total * (total + 1))) @ w - mean**2
    size = np.maximum(mean * (1 - mean) / np.maximum(variance, 1e-300) - 1, 1e-6)
    scale, ends = betaln(up, down), []
    for target in ((1 - level) / 2, (1 + level) / 2):
        low, high = np.zeros(len(up)), np.ones(len(up))
        x = np.clip(betaincinv(mean * size, (1 - mean) * size, target), 1e-12, 1 - 1e-12)
        for _ in range(STEPS):
            at = x[:, None]
            error = betainc(up, down, at) @ w - target
            low, high = np.where(error < 0, x, low), np.where(error < 0, high, x)
            if (np.abs(error) < 1e-7).all() or (high - low < 1e-10).all():
                break
            density = np.exp((up - 1) * np.log(at) + (down - 1) * np.log1p(-at) - scale) @ w
            step = x - error / np.maximum(density, 1e-300)
            x = np.where((step > low) & (step < high), step, (low + high) / 2)
        ends.append(x)
    return np.array(ends)
