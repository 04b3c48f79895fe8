"""How sure a number is: Wilson intervals, exact multinomial and paired bootstraps, seeds, DeLong.

Shapes: D draws ("bootstrap worlds"), S seeds, R runs, N rows, A attribute groups, C classes. All draws are stratified
by attribute group: every world keeps the group sizes, so that no group is lost and gaps do not shrink.
Generators are passed in; nothing here keeps state.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from core.types import BadInput, Scores

CHUNK_BYTES = 64 * 2**20


def wilson(k: np.ndarray | float, n: np.ndarray | float, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval of k successes among n, any shapes that broadcast; NaN where n is 0.

    With weights give n = effective rows and k = rate * n. Source: Wilson 1927; Brown, Cai & DasGupta 2001.

    >>> [round(float(end), 4) for end in wilson(0, 20)]
    [0.0, 0.1611]
    """
    k, n = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    z2 = normal_quantile(level) ** 2
    known = n > 0
    size = np.where(known, n, 1.0)
    share = k / size
    centre = share + z2 / (2 * size)
    half = np.sqrt(z2 * (share * (1 - share) / size + z2 / (4 * size**2)))
    scale = 1 + z2 / size
    low = np.where(k <= 0, 0.0, (centre - half) / scale)
    high = np.where(k >= n, 1.0, (centre + half) / scale)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def effective_n(w: np.ndarray) -> np.ndarray:
    """Kish's effective number of rows (sum w)^2 / sum w^2 of weights (..., N); 0 without rows. Source: Kish 1965.

    >>> float(effective_n(np.ones(4))), float(effective_n(np.array([1.0, 0.0])))
    (4.0, 1.0)
    """
    w = np.asarray(w, dtype=np.float64)
    squares = (w * w).sum(-1)
    return np.divide(w.sum(-1) ** 2, squares, out=np.zeros(squares.shape), where=squares > 0)[()]


def group_effective_n(counts: np.ndarray, n_effective: np.ndarray) -> np.ndarray:
    """Effective rows of each attribute group from those of its cells.

    Args:
        counts: (..., A, C, C) weighted counts. n_effective: (..., C, A) of the cells class x group, broadcasting.

    Returns:
        (..., A): (sum of weights)^2 / sum of squared weights, put together from the cells.
    """
    mass = counts.sum(-1)
    cells = np.swapaxes(np.asarray(n_effective, dtype=np.float64), -1, -2)
    squares = np.divide(mass**2, cells, out=np.zeros(np.broadcast_shapes(mass.shape, cells.shape)), where=cells > 0)
    total = squares.sum(-1)
    return np.divide(mass.sum(-1) ** 2, total, out=np.zeros_like(total), where=total > 0)


def bootstrap_counts(counts: np.ndarray, n_effective: np.ndarray | None, draws: int,
                     rng: np.random.Generator) -> np.ndarray:
    """Resampling rows is exactly a multinomial draw over the cells of their count table.

    Args:
        counts: (..., A, C, C) weighted counts. Tables with NaN (diverged runs) stay NaN.
        n_effective: rows drawn in each group: (C, A) or (..., C, A) effective rows of the cells as History keeps
            them, or (A,) of the groups. None: the counts are numbers of rows.
        draws: D.

    Returns:
        (D, ..., A, C, C) counts, rescaled to each group's total weight. Tables are drawn independently of each other;
        for pairs of models on the same rows use `bootstrap_runs`.
    """
    classes = counts.shape[-1]
    total = counts.sum((-2, -1))
    if n_effective is None:
        rows = total
    else:
        given = np.asarray(n_effective, dtype=np.float64)
        rows = given if given.ndim == 1 else group_effective_n(counts, given)
    rows = np.broadcast_to(rows, total.shape)
    usable = np.isfinite(total) & (total > 0)
    safe = np.where(usable, total, 1.0)[..., None]
    share = np.where(usable[..., None], counts.reshape(*total.shape, classes * classes), 0.0) / safe
    share[..., 0] = np.where(usable, share[..., 0], 1.0)
    share /= share.sum(-1, keepdims=True)
    size = np.where(usable, np.maximum(np.rint(rows), 1), 0).astype(np.int64)
    drawn = rng.multinomial(size, share, size=(draws, *total.shape)).astype(np.float64)
    drawn *= (safe[..., 0] / np.maximum(size, 1))[..., None]
    drawn[:, ~np.isfinite(total)] = np.nan
    return drawn.reshape(draws, *counts.shape)


def bootstrap_runs(scores: Scores, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Paired bootstrap: in every world the same resampled rows for every run, so that differences are sharp.

    Args:
        scores: final scores of R runs on the same n rows, with their decision thresholds.
        draws: D. Two calls with equal generators and equal rows draw the same worlds.

    Returns:
        (D, R, A, C, C) weighted counts; NaN for runs without finite scores. A is the number of thresholds a run has.
        Computed as matrix products (draws x rows) by (rows x runs) in chunks below 300 MB.
    """
    pred, broken, classes = _predictions(scores)
    runs, n = pred.shape
    n_attrs = scores.thresholds.shape[1]
    cell = scores.attr.astype(np.int64) * classes + scores.y
    order = np.argsort(cell, kind="stable")
    bounds = np.searchsorted(cell[order], np.arange(n_attrs * classes + 1))
    pred, weight, attr = pred[:, order], scores.w[order].astype(np.float32), scores.attr[order]
    out = np.zeros((draws, runs, n_attrs * classes, classes))
    step = max(1, CHUNK_BYTES // (8 * max(n, 1)))
    for first in range(0, draws, step):
        times = _multiplicities(attr, n_attrs, min(step, draws - first), rng)
        times *= weight
        for g, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            if high > low:
                out[first : first + len(times), :, g] = _products(times[:, low:high], pred[:, low:high], classes)
    out[:, broken] = np.nan
    return out.reshape(draws, runs, n_attrs, classes, classes)


def interval(draws: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Percentile interval along the first axis: (D, ...) -> low (...), high (...).

    Worlds in which the value is undefined are left out; NaN where more than a tenth of the worlds are.
    """
    ordered = np.sort(np.asarray(draws, dtype=np.float64), axis=0)  # NaN goes last
    defined = np.isfinite(ordered).sum(0)
    enough = defined >= 0.9 * len(ordered)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        at = share * np.maximum(defined - 1, 0)
        below = np.floor(at).astype(np.int64)
        above = np.minimum(below + 1, np.maximum(defined - 1, 0))
        low = np.take_along_axis(ordered, below[None], 0)[0]
        high = np.take_along_axis(ordered, above[None], 0)[0]
        ends.append(np.where(enough & (defined > 0), low + (high - low) * (at - below), np.nan))
    return ends[0], ends[1]


def resample_seeds(values: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Means over seeds drawn again with replacement.

    Args:
        values: (M, S) or (K, M, S): one value for each setting and seed, NaN where a seed is missing. With K values
            (two axes of a chart) the same seeds are drawn for all of them.

    Returns:
        (D, M) or (D, K, M). Deviations are widened by sqrt(S / (S - 1)), without which a handful of seeds looks
        surer than it is; a single seed does not vary.
    """
    values = np.asarray(values, dtype=np.float64)
    stacked = values if values.ndim == 3 else values[None]
    here = np.isfinite(stacked).all(0)
    count = here.sum(-1)
    order = np.argsort(~here, axis=-1, kind="stable")  # present seeds first
    packed = np.take_along_axis(stacked, np.broadcast_to(order, stacked.shape), -1)
    pick = np.floor(rng.random((draws, *here.shape)) * np.maximum(count, 1)[:, None]).astype(np.int64)
    used = np.arange(here.shape[-1]) < count[:, None]
    drawn = np.take_along_axis(np.broadcast_to(packed, (draws, *packed.shape)), pick[:, None], -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(used, packed, 0.0).sum(-1) / np.where(count > 0, count, np.nan)
        means = np.where(used, drawn, 0.0).sum(-1) / np.where(count > 0, count, np.nan)
    means = mean + (means - mean) * np.sqrt(count / np.maximum(count - 1, 1))
    return means if values.ndim == 3 else means[:, 0]


def seed_interval(values: np.ndarray, noise: np.ndarray | None, draws: int, rng: np.random.Generator,
                  level: float = 0.95) -> tuple[float, float]:
    """Interval of the mean over seeds: seeds are drawn again, and the rows' own noise is added.

    Args:
        values: (S,) the value of each seed.
        noise: (D,) deviations that come from the rows (bootstrap value minus value), shared by all seeds because they
            are measured on the same rows; None leaves that part out. D must equal `draws`.
    """
    worlds = resample_seeds(np.asarray(values)[None], draws, rng)[:, 0]
    low, high = interval(worlds if noise is None else worlds + noise, level)
    return float(low), float(high)


def auc_interval(score: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None,
                 level: float = 0.95) -> tuple[float, float, float]:
    """Area under the ROC curve with DeLong's interval: (auc, low, high), NaN without both classes.

    Ties count one half. With weights, placements and variance are weighted. One row of a class leaves the interval
    NaN. Source: DeLong, DeLong & Clarke-Pearson 1988.
    """
    score, positive = np.asarray(score, dtype=np.float64), np.asarray(y) == 1
    w = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    if w[positive].sum() <= 0 or w[~positive].sum() <= 0:
        return (float("nan"),) * 3
    above = placements(score[positive], score[~positive], w[~positive])
    below = 1 - placements(score[~positive], score[positive], w[positive])
    auc = float(np.average(above, weights=w[positive]))
    spread = np.sqrt(_mean_variance(above, w[positive]) + _mean_variance(below, w[~positive]))
    half = normal_quantile(level) * spread
    return auc, float(np.clip(auc - half, 0, 1)), float(np.clip(auc + half, 0, 1))


def normal_quantile(level: float) -> float:
    """How many standard errors a two-sided normal interval of this level reaches; BadInput outside 0 to 1."""
    if not 0 < level < 1:
        raise BadInput("Confidence level", f"{level:g}", "a number between 0 and 1", "use 0.95")
    return NormalDist().inv_cdf((1 + level) / 2)


def placements(score: np.ndarray, other: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """For every score the weighted share of `other` below it, ties counting one half: placements as DeLong has them."""
    order = np.argsort(other, kind="stable")
    mass = np.concatenate([[0.0], np.cumsum(weight[order])])
    left = mass[np.searchsorted(other[order], score, "left")]
    right = mass[np.searchsorted(other[order], score, "right")]
    return (left + right) / (2 * mass[-1])


def _mean_variance(values: np.ndarray, w: np.ndarray) -> float:
    """Estimated variance of a weighted mean; NaN for one row."""
    rows = (w > 0).sum()
    if rows < 2:
        return float("nan")
    deviation = w * (values - np.average(values, weights=w))
    return float((deviation**2).sum() / w.sum() ** 2 * rows / (rows - 1))


def _predictions(scores: Scores) -> tuple[np.ndarray, np.ndarray, int]:
    """(R, n) predicted classes, (R,) runs without finite scores, and the number of classes."""
    if scores.score.ndim == 3:
        broken = ~np.isfinite(scores.score).all((1, 2))
        return scores.score.argmax(-1), broken, scores.score.shape[-1]
    broken = ~np.isfinite(scores.score).all(1)
    return (scores.score >= scores.thresholds[:, scores.attr]).astype(np.int8), broken, 2


def _multiplicities(attr: np.ndarray, n_attrs: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(draws, n) float32: how often each row is drawn when every group (contiguous in `attr`) keeps its size."""
    n = len(attr)
    edges = np.searchsorted(attr, np.arange(n_attrs + 1))
    size, start = np.diff(edges), edges[:-1]
    picked = start[attr] + np.floor(rng.random((draws, n)) * size[attr]).astype(np.int64)
    picked += np.arange(draws)[:, None] * n
    return np.bincount(picked.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float32)


def _products(times: np.ndarray, pred: np.ndarray, classes: int) -> np.ndarray:
    """(draws, n) @ one-hot of (runs, n) -> (draws, runs, C), in chunks of runs."""
    runs, n = pred.shape
    out = np.empty((len(times), runs, classes))
    step = max(1, CHUNK_BYTES // (4 * max(n, 1)))
    for first in range(0, runs, step):
        part = pred[first : first + step]
        for c in range(classes):
            out[:, first : first + step, c] = times @ (part == c).astype(np.float32).T
    return out
