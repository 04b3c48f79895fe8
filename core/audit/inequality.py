"""Indices of inequality of a weighted distribution, and their exact parts within and between groups.

b is a benefit of at least 0, mu its mean, q_g and mu_g size share and mean of group g:

    GE(alpha) = (E[(b/mu)^alpha] - 1) / (alpha (alpha - 1));  alpha 1: E[b/mu log(b/mu)] (Theil);  0: -E[log(b/mu)]
    GE = sum_g q_g (mu_g/mu)^alpha GE_g + GE of the group means          (within + between)
    A(eps) = 1 - ede/mu,  ede = E[b^(1-eps)]^(1/(1-eps));  1 - A = (1 - A_between) (1 - A_within)
    A_between = 1 - ede / sum_g q_g ede_g;  A_within = sum_g (q_g mu_g / mu) A_g
    Gini = sum_ij w_i w_j |b_i - b_j| / (2 W^2 mu)

Everything but Gini and the measures across groups comes from seven weighted sums, so that thousands of resampled worlds
cost one matrix product. Sources: Shorrocks 1980; Atkinson 1970; Blackorby, Donaldson & Auersperg 1981; Rampisela et
al. 2025 [30] for the measures across groups. Shapes: K values of the benefit, A groups.
"""

from __future__ import annotations

import numpy as np

from core.types import BadInput

INDICES = {"gini": "Gini", "cv": "Coefficient of variation", "sd": "Standard deviation", "atkinson": "Atkinson",
           "theil": "Theil", "entropy": "Generalised entropy"}
ACROSS = {"worst": "Mean of the worst quarter of groups", "range": "Range", "sd": "Standard deviation",
          "cv": "Coefficient of variation", "mad": "Mean absolute difference", "gini": "Gini",
          "kl": "KL divergence of benefits from sizes", "f": "F statistic"}
WORTH = 1e-14  # a variance below this part of the squares is rounding


def spread(values: np.ndarray, mass: np.ndarray, eps: float = 0.5, alpha: float = 2.0) -> dict[str, np.ndarray]:
    """Every index of `INDICES` of a weighted distribution.

    Args:
        values: (K,) benefits of at least 0, in any order, repeats allowed. mass: (..., K) their weights.
        eps: aversion of Atkinson's index, above 0. alpha: of the generalised entropy.

    Returns:
        slug -> (...): NaN where undefined (mean 0; a benefit of 0 with alpha of at most 0).

    >>> float(spread(np.array([0.0, 1.0]), np.array([1.0, 3.0]))["gini"])
    0.25
    """
    checked(eps, alpha)
    values, mass = np.asarray(values, dtype=np.float64), np.asarray(mass, dtype=np.float64)
    return indices(sums_of(values, mass, eps, alpha), eps, alpha) | {"gini": gini(values, mass)}


def decompose(values: np.ndarray, mass: np.ndarray, eps: float = 0.5,
              alpha: float = 2.0) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(total, between, within) of "theil", "entropy" (these add up) and "atkinson" (1 - x multiply).

    Args:
        values: (K,) benefits. mass: (..., A, K) weights by group. Each result is (...).
    """
    checked(eps, alpha)
    sums = sums_of(np.asarray(values, dtype=np.float64), np.asarray(mass, dtype=np.float64), eps, alpha)
    return decomposed(sums, eps, alpha)


def across(mean: np.ndarray, size: np.ndarray, variance: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """The measures of `ACROSS` over the means of A groups, each group counting once but in KL and F.

    Args:
        mean, size, variance: (..., A) mean, total weight and (population) variance of the benefits of each group.
        rows: (A,) effective rows. Results are (...).

    Source: Rampisela et al. 2025 [30]; KL here takes each group's share of all benefits, so that it is 0 where the
    means are equal and equals the part of Theil's index between groups.
    """
    g, m = mean.shape[-1], mean.mean(-1)
    worst = mean <= np.quantile(mean, 0.25, axis=-1)[..., None] + 1e-12
    sd = mean.std(-1)
    ordered = np.sort(mean, -1)
    pairs = (ordered * (2 * np.arange(1, g + 1) - g - 1)).sum(-1)  # sum of |m_i - m_j| over pairs
    q = size / size.sum(-1, keepdims=True)
    everyone = (q * mean).sum(-1, keepdims=True)
    centre = (rows * mean).sum(-1, keepdims=True) / rows.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        s = q * mean / everyone
        kl = np.where(s > 0, s * np.log(np.where(s > 0, mean / everyone, 1.0)), s).sum(-1)
        f = ((rows * (mean - centre) ** 2).sum(-1) / (g - 1)) / ((rows * variance).sum(-1) / (rows.sum() - g))
        return {"worst": (mean * worst).sum(-1) / worst.sum(-1), "range": ordered[..., -1] - ordered[..., 0], "sd": sd,
                "cv": sd / np.where(m > 0, m, np.nan), "mad": 2 * pairs / (g * (g - 1)),
                "gini": pairs / (g**2 * np.where(m > 0, m, np.nan)), "kl": np.maximum(kl, 0), "f": f}


def checked(eps: float, alpha: float) -> None:
    """Raise BadInput where the two settings are out of range."""
    if not 0 < eps <= 10:
        raise BadInput("Aversion eps", f"{eps:g}", "a number above 0, at most 10", "use 0.5")
    if not -5 <= alpha <= 5:
        raise BadInput("Alpha", f"{alpha:g}", "a number from -5 to 5", "use 2")


def _power(x: np.ndarray, a: float) -> np.ndarray:
    """x^a; log x for 0, x log x for 1 (that of 0 is 0); -inf or inf where 0 has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if a == 0:
            return np.log(x)
        return np.where(x > 0, x * np.log(np.where(x > 0, x, 1.0)), 0.0) if a == 1 else np.asarray(x**a)


def columns(b: np.ndarray, eps: float, alpha: float) -> np.ndarray:
    """(..., 7) what is summed: 1, b, b^2, b log b, phi(b), psi(b) with 0 for infinite ones, and whether b is 0."""
    psi = np.log(np.where(b > 0, b, 1.0)) if eps == 1 else _power(b, 1 - eps)
    phi = _power(b, alpha)
    return np.stack([np.ones_like(b), b, b * b, _power(b, 1), np.where(np.isfinite(phi), phi, 0.0),
                     np.where(np.isfinite(psi), psi, 0.0), (b <= 0).astype(np.float64)], -1)


def sums_of(values: np.ndarray, mass: np.ndarray, eps: float, alpha: float) -> np.ndarray:
    """(..., 7) weighted sums of `columns` for values (K,) and mass (..., K)."""
    return mass @ columns(values, eps, alpha)


def row_sums(b: np.ndarray, w: np.ndarray, code: np.ndarray, groups: int, eps: float, alpha: float) -> np.ndarray:
    """(A, 7) the same sums from rows."""
    each = columns(b, eps, alpha)
    return np.stack([np.bincount(code, w * each[:, k], groups) for k in range(each.shape[1])], -1)


def mean_of(sums: np.ndarray) -> np.ndarray:
    """(...) means; NaN without weight."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sums[..., 1] / sums[..., 0]


def variance_of(sums: np.ndarray) -> np.ndarray:
    """(...) population variances; what is rounding alone is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        square = sums[..., 2] / sums[..., 0]
        variance = square - mean_of(sums) ** 2
    return np.where(variance > WORTH * square, variance, np.where(np.isnan(variance), np.nan, 0.0))


def _typical(sums: np.ndarray, alpha: float, column: int = 4) -> np.ndarray:
    """E[phi(b)], infinite where 0 has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = sums[..., column] / sums[..., 0]
    return np.where(sums[..., 6] > 0, -np.inf if alpha == 0 else np.inf, found) if alpha <= 0 else found


def equal_of(sums: np.ndarray, eps: float) -> np.ndarray:
    """The equally distributed equivalent: the benefit that, given to all, is worth the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = sums[..., 5] / sums[..., 0]
        found = np.exp(mean) if eps == 1 else mean ** (1 / (1 - eps))
    return np.where(sums[..., 6] > 0, 0.0, found) if eps >= 1 else found


def _entropy(typical: np.ndarray, mean: np.ndarray, alpha: float) -> np.ndarray:
    """GE(alpha) from E[phi(b)] and the mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(mean > 0, mean, np.nan)
        if alpha == 1:
            found = typical / mean - np.log(mean)
        elif alpha == 0:
            found = np.log(mean) - typical
        else:
            found = (typical / mean**alpha - 1) / (alpha * (alpha - 1))
    return np.where(np.isfinite(found), np.maximum(found, 0.0), np.nan)


def indices(sums: np.ndarray, eps: float, alpha: float) -> dict[str, np.ndarray]:
    """Every index but Gini from sums (..., 7)."""
    mean, sd = mean_of(sums), np.sqrt(variance_of(sums))
    known = np.where(mean > 0, mean, np.nan)
    return {"sd": sd, "cv": sd / known, "theil": _entropy(_typical(sums, 1, 3), mean, 1),
            "entropy": _entropy(_typical(sums, alpha), mean, alpha),
            "atkinson": np.clip(1 - equal_of(sums, eps) / known, 0, 1)}


def gini(values: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """(...) Gini of values (K,) with weights (..., K): half the mean absolute difference over the mean."""
    order = np.argsort(values, kind="stable")
    ordered = mass[..., order]
    middle = np.cumsum(ordered, -1) - ordered / 2
    total, sum_b = ordered.sum(-1), ordered @ values[order]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 2 * ((ordered * middle) @ values[order]) / (total * sum_b) - 1
    return np.where(sum_b > 0, np.clip(found, 0, 1), np.nan)


def decomposed(sums: np.ndarray, eps: float, alpha: float) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(total, between, within) as `decompose`, from the groups' sums (..., A, 7)."""
    everyone = sums.sum(-2)
    mean = mean_of(everyone)
    here = sums[..., 0] > 0
    q = sums[..., 0] / everyone[..., :1]
    means = np.where(here, mean_of(sums), 0.0)
    out = {}
    for name, a, column in (("theil", 1.0, 3), ("entropy", alpha, 4)):
        total = _entropy(_typical(everyone, a, column), mean, a)
        between = entropy_between(q, means, a)
        out[name] = (total, between, np.maximum(_within(q, means, np.where(here, _typical(sums, a, column), 0.0), mean,
                                                        a), 0.0))
    equal = np.where(here, equal_of(sums, eps), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        typical = (q * equal).sum(-1)
        known = np.where(mean > 0, mean, np.nan)
        out["atkinson"] = (np.clip(1 - equal_of(everyone, eps) / known, 0, 1), atkinson_between(q, equal, eps),
                           np.clip(1 - typical / known, 0, 1))
    return out


def entropy_between(q: np.ndarray, means: np.ndarray, a: float) -> np.ndarray:
    """GE of the group means, each at its size."""
    with np.errstate(invalid="ignore"):
        powers = np.where(q > 0, q * _power(np.where(q > 0, means, 1.0), a), 0.0)
    return _entropy(powers.sum(-1), (q * means).sum(-1), a)


def _within(q: np.ndarray, means: np.ndarray, typical: np.ndarray, mean: np.ndarray, a: float) -> np.ndarray:
    """sum of q_g (mu_g/mu)^a GE_g, without dividing by a group's mean."""
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(q > 0, q * (typical - _power(np.where(q > 0, means, 1.0), a)), 0.0).sum(-1)
        known = np.where(mean > 0, mean, np.nan)
        found = apart / known if a == 1 else -apart if a == 0 else apart / known**a / (a * (a - 1))
    return np.where(np.isfinite(found) & (mean > 0), found, np.nan)


def atkinson_between(q: np.ndarray, equal: np.ndarray, eps: float) -> np.ndarray:
    """1 - ede of the groups' equivalents / their mean."""
    one = columns(equal, eps, 2.0) * q[..., None]
    sums = one.sum(-2)
    mean = mean_of(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(1 - equal_of(sums, eps) / np.where(mean > 0, mean, np.nan), 0, 1)
