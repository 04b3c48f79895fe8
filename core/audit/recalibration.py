"""Logistic recalibration in every group at once, logit P(y = 1) = a + b logit(score).

a = 0 and b = 1 for scores that mean what they say. Each row's share in the error of estimation comes with it.
Source: Cox 1958; shares as Huber 1967 and White 1980 (sandwich).
Shapes: N rows, G groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EDGE = 1e-6  # scores nearer to 0 or 1 are taken as this near, for their logarithm
TOO_FEW = 3  # rows that two parameters and their spread need


@dataclass(frozen=True)
class ScoredRows:
    """Rows counted twice, in their group and as everyone: score, y, w, code (N,), unit (persons or rows), G groups."""

    score: np.ndarray
    y: np.ndarray
    w: np.ndarray
    code: np.ndarray
    unit: np.ndarray
    groups: int

    def total(self, values: np.ndarray | None = None) -> np.ndarray:
        """(G,) sums of weight times values."""
        return np.bincount(self.code, self.w if values is None else self.w * values, self.groups)

    @property
    def persons(self) -> np.ndarray | None:
        """(N,) units where some unit has several rows of a group, else None."""
        return None if len(np.unique(self.unit)) == len(self.unit) else self.unit

    def per_unit(self, shares: np.ndarray, cell: np.ndarray, cells: int) -> np.ndarray:
        """(cells, cells) covariance of the sums of shares (N, ...) over their cells (N, ...), whole units together."""
        from scipy.sparse import csr_array

        unit = np.repeat(self.unit, cell.size // len(self.unit))
        table = csr_array((shares.ravel(), (unit, cell.ravel())), shape=(int(self.unit.max()) + 1, cells))
        return (table.T @ table).toarray()


def fit_lines(made: ScoredRows) -> tuple[np.ndarray, list[str | None]]:
    """(G, 2) intercept and slope by Newton's method, and why there is none."""
    z, g = logit(made.score), made.groups
    reasons = _reasons(made, z)
    known = np.array([why is None for why in reasons])
    theta = np.tile([0.0, 1.0], (g, 1))
    before = _likelihood(made, z, theta)
    for _ in range(60):
        p = expit(theta[made.code, 0] + theta[made.code, 1] * z)
        rise = np.where(known[:, None], np.stack([made.total(made.y - p), made.total((made.y - p) * z)], -1), 0.0)
        step = np.linalg.solve(_information(made, z, p, known), rise[..., None])[..., 0]
        for _ in range(12):  # halve where the likelihood would fall
            after = _likelihood(made, z, theta + step)
            worse = after < before - 1e-9 * np.abs(before)
            if not worse.any():
                break
            step = np.where(worse[:, None], step / 2, step)
        theta, before = theta + step, after
        if np.abs(step).max() < 1e-10:
            break
    theta[~known] = np.nan
    return theta, reasons


def line_shares(made: ScoredRows, lines: np.ndarray) -> np.ndarray:
    """(N, 2) each row's share in the error of intercept and slope; 0 where there is no line.

    The sum of squares of the shares (summed over the rows of a person first) is the sandwich estimate of the variance,
    widened by n / (n - 2).
    """
    z, theta = logit(made.score), np.nan_to_num(lines)
    p = expit(theta[made.code, 0] + theta[made.code, 1] * z)
    known = np.isfinite(lines[:, 0])
    inverse = np.linalg.inv(_information(made, z, p, known))
    n = np.bincount(made.code, minlength=made.groups).astype(np.float64)
    more = np.where(known & (n >= TOO_FEW), np.sqrt(n / np.maximum(n - 2, 1)), 0.0)
    pull = (more[made.code] * made.w * (made.y - p))[:, None] * np.stack([np.ones_like(z), z], -1)
    return np.einsum("nij,nj->ni", inverse[made.code], pull)


def _reasons(made: ScoredRows, z: np.ndarray) -> list[str | None]:
    """Why a group has no line; None where it has one: a finite line exists exactly where the outcomes overlap."""
    g = made.groups
    (low0, high0), (low1, high1) = (_ends(made, z, label) for label in (0, 1))
    return ["no rows" if np.isinf(low0[k]) and np.isinf(low1[k]) else "0 positives" if np.isinf(low1[k]) else
            "0 negatives" if np.isinf(low0[k]) else "one score" if high0[k] == low0[k] == high1[k] == low1[k] else
            "the scores part the classes completely" if high0[k] <= low1[k] or high1[k] <= low0[k] else None
            for k in range(g)]


def _ends(made: ScoredRows, z: np.ndarray, label: int) -> tuple[np.ndarray, np.ndarray]:
    here = made.y == label
    low, high = np.full(made.groups, np.inf), np.full(made.groups, -np.inf)
    np.minimum.at(low, made.code[here], z[here])
    np.maximum.at(high, made.code[here], z[here])
    return low, high


def _likelihood(made: ScoredRows, z: np.ndarray, theta: np.ndarray) -> np.ndarray:
    line = theta[made.code, 0] + theta[made.code, 1] * z
    return made.total(made.y * line - np.logaddexp(0, line))


def _information(made: ScoredRows, z: np.ndarray, p: np.ndarray, known: np.ndarray) -> np.ndarray:
    """(G, 2, 2); the identity where nothing is fitted."""
    v = p * (1 - p)
    a, b, c = made.total(v), made.total(v * z), made.total(v * z * z)
    found = np.stack([np.stack([a, b], -1), np.stack([b, c], -1)], -2)
    return np.where(known[:, None, None], found, np.eye(2))


def logit(score: np.ndarray) -> np.ndarray:
    """Log odds of scores, kept `EDGE` away from 0 and 1."""
    p = np.clip(score, EDGE, 1 - EDGE)
    return np.log(p) - np.log1p(-p)


def expit(x: np.ndarray) -> np.ndarray:
    """Probabilities of log odds, without overflow."""
    return np.exp(-np.logaddexp(0, -x))
