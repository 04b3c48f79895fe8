"""Are alike people treated alike? Each person's nearest neighbours in the features, and how many got another answer.

Consistency = 1 - mean over people of |prediction - mean prediction of the k nearest|, which for classes is the share of
the k nearest with another prediction (Zemel et al. 2013; here nobody is among the own neighbours). Every column counts
the same on average: the expected squared distance between two random people is 2 in each. The groups' attributes are
no features here, so that people who differ in them alone are neighbours. N rows, D encoded columns, A groups.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from core.audit.words import in_words, is_numeric
from core.inference import wilson
from core.types import BadInput, Predictions, Value

MOST = 5_000  # rows among which neighbours are looked for
MOST_WORDS = 50
HOW = "Wilson at the rows that the spread is worth"


@dataclass(frozen=True)
class Encoded:
    """Columns as numbers: values (N, D), the names used, and (name, reason) of those left out."""

    values: np.ndarray
    used: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Alike:
    """How often alike people get another answer.

    Args:
        consistency: over everyone. groups: label -> share of the neighbours with another answer, and whether the group
            is small. chance: that share if neighbours were picked at random. n: rows looked at, of `total`.
        columns: what was compared. notes: sentences.
    """

    consistency: Value
    groups: Mapping[str, tuple[Value, bool]]
    chance: float
    n: int
    total: int
    k: int
    columns: Encoded
    notes: tuple[str, ...] = field(default=())


def encoded(frame: pd.DataFrame) -> Encoded:
    """Every usable column as numbers of equal weight.

    Numbers and dates: standardised, missing ones at the median with a column that says so. Words: one column for each,
    scaled to 1/sqrt(1 - sum of squared shares). Constant columns, numberings of the rows, and words with more than 50
    values are left out with the reason.
    """
    blocks, used, left_out = [], [], []
    for name in frame.columns:
        block, reason = _encode(frame[name])
        if reason:
            left_out.append((str(name), reason))
        else:
            blocks.append(block)
            used.append(str(name))
    values = np.concatenate(blocks, 1) if blocks else np.empty((len(frame), 0))
    return Encoded(values, tuple(used), tuple(left_out))


def group_means(u: np.ndarray, w: np.ndarray | None, code: np.ndarray, n_groups: int, person: np.ndarray | None = None,
                level: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Means of numbers in [0, 1] with intervals, for every group and everyone (last).

    Args:
        u: (N,) in [0, 1]. w: weights or None. code: (N,) group. person: rows of one person vary together.

    Returns:
        value, low, high and n, each (A + 1,): Wilson's interval at n, the number of yes-or-no rows that would give the
        same standard error, made smaller for few rows by Student's t. Source: Korn & Graubard 1998; linearised variance
        of a weighted mean, by person where there are some. Where nothing varies, n is Kish's (or that of the persons).

    >>> [round(float(x[-1]), 3) for x in group_means(np.repeat([0.0, 1.0], 50), None, np.zeros(100, int), 1)[:3]]
    [0.5, 0.402, 0.598]
    """
    from scipy.stats import t

    u, w = np.asarray(u, dtype=np.float64), np.ones(len(u)) if w is None else w
    units = np.arange(len(u)) if person is None else person
    out = []
    for groups, labels in ((n_groups, code), (1, np.zeros(len(u), np.int64))):
        total = np.bincount(labels, w, groups)
        safe = np.where(total > 0, total, 1.0)
        mean = np.where(total > 0, np.bincount(labels, w * u, groups) / safe, np.nan)
        pair, at = np.unique(labels * (int(units.max(initial=0)) + 1) + units, return_inverse=True)
        owner = pair // (int(units.max(initial=0)) + 1)
        apart, mass = np.bincount(at, w * (u - mean[labels])), np.bincount(at, w)
        m = np.bincount(owner, minlength=groups)
        variance = np.bincount(owner, apart**2, groups) / safe**2 * m / np.maximum(m - 1, 1)
        kish = total**2 / np.maximum(np.bincount(owner, mass**2, groups), 1e-300)
        shrunk = (_normal(level) / t.ppf((1 + level) / 2, np.maximum(m - 1, 1))) ** 2
        spread = (variance > 1e-15) & (m > 1)
        n = np.where(spread, mean * (1 - mean) / np.where(spread, variance, 1.0) * shrunk, kish)
        out.append(np.stack([mean, *wilson(np.clip(np.nan_to_num(mean), 0, 1) * n, n, level), n]))
    value, low, high, n = np.concatenate(out, -1)
    return value, np.where(np.isnan(value), np.nan, low), np.where(np.isnan(value), np.nan, high), n


def alike(rows: Predictions, model: int = 0, k: int = 5, most: int = MOST, seed: int = 0) -> Alike:
    """How often the k people most like a person got another prediction, for everyone and by group.

    Args:
        k: neighbours, of any group. most: rows at most; more are sampled, and one row a person where there are persons.

    Raises BadInput without predictions, usable columns, or more than k rows. Weights count in the means.
    """
    from sklearn.neighbors import NearestNeighbors

    pred = rows.models[model].pred
    if pred is None:
        raise BadInput("Alike people", "scores without a threshold", "predictions", "give a threshold")
    at, notes = _sampled(rows, most, np.random.default_rng(seed))
    columns = encoded(rows.features.iloc[at])
    if not columns.used:
        raise BadInput("Alike people", "no column that tells people apart", "columns besides label and attributes",
                       "bring a table with the features")
    if not 0 < k < len(at):
        raise BadInput("Neighbours", str(k), f"a number from 1 to {len(at) - 1}", "choose fewer")
    values = columns.values.astype(np.float32)
    near = NearestNeighbors(n_neighbors=k + 1).fit(values).kneighbors(values, return_distance=False)
    own = near == np.arange(len(at))[:, None]
    own[~own.any(1), -1] = True  # among copies the own row may be missing: the farthest is one too many
    others = pred[at][near[~own].reshape(len(at), k)]
    share = (others != pred[at][:, None]).mean(1)
    code, w = rows.groups.code[at], None if rows.w is None else rows.w[at]
    value, low, high, n = group_means(share, w, code, rows.n_attrs, None, rows.spec.level)
    sizes = np.bincount(code, minlength=rows.n_attrs)
    groups = {label: (_told(value[g], low[g], high[g], n[g]), bool(sizes[g] < rows.spec.min_n))
              for g, label in enumerate(rows.groups.labels)}
    mass = np.bincount(pred[at], w) / (len(at) if w is None else w.sum())
    return Alike(_told(1 - value[-1], 1 - high[-1], 1 - low[-1], n[-1]), groups, float(1 - (mass**2).sum()), len(at),
                 rows.n, k, columns, notes)


def _normal(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def _told(value: float, low: float, high: float, n: float) -> Value:
    if not np.isfinite(value):
        return Value(math.nan, math.nan, math.nan, 0.0, "no row in the sample", "")
    return Value(float(value), float(low), float(high), float(n), None, HOW)


def _sampled(rows: Predictions, most: int, rng: np.random.Generator) -> tuple[np.ndarray, tuple[str, ...]]:
    at, notes = rng.permutation(rows.n), []
    if rows.person is not None:
        at = at[np.unique(rows.person[at], return_index=True)[1]]
        if len(at) < rows.n:
            notes.append(f"One row of each of {len(at):,} persons, picked at random.")
    if len(at) > most:
        notes.append(f"{most:,} of {len(at):,} {'persons' if rows.person is not None else 'rows'}, picked at random: "
                     "with more rows the nearest are nearer.")
        at = rng.permutation(at)[:most]
    return np.sort(at), tuple(notes)


def _encode(column: pd.Series) -> tuple[np.ndarray, str]:
    """(N, k) numbers, or the reason why there are none."""
    if pd.api.types.is_datetime64_any_dtype(column):
        days = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz is not None else column
        numbers = days.astype("datetime64[s]").astype("int64").to_numpy() / 86_400
        return _numbers(np.where(column.isna(), np.nan, numbers))
    if pd.api.types.is_complex_dtype(column):
        return np.empty((len(column), 0)), "complex numbers"
    if is_numeric(column):
        return _numbers(column.to_numpy(dtype=np.float64, na_value=np.nan))
    codes, words = in_words(column)
    if len(words) > MOST_WORDS:
        return np.empty((len(column), 0)), f"{len(words):,} different words"
    codes = np.where(codes < 0, len(words), codes)  # missing is a word of its own
    share = np.bincount(codes) / max(len(codes), 1)
    if share.max(initial=0) >= 1:
        return np.empty((len(column), 0)), "one value"
    kept = np.flatnonzero(share > 0)
    return (codes[:, None] == kept) / np.sqrt(1 - (share**2).sum()), ""


def _numbers(values: np.ndarray) -> tuple[np.ndarray, str]:
    absent = ~np.isfinite(values)
    seen = values[~absent]
    if not len(seen) or (np.ptp(seen) == 0 and not absent.any()):
        return np.empty((len(values), 0)), "one value" if len(seen) else "no value"
    whole = np.sort(seen)
    if len(seen) > 20 and not absent.any() and np.array_equal(whole, whole[0] + np.arange(len(seen))):
        return np.empty((len(values), 0)), "a numbering of the rows"
    filled = np.where(absent, np.median(seen), values)
    filled = filled / max(float(np.abs(seen).max()), 1e-300)
    blocks = []
    if filled.std() > 1e-13:
        blocks.append(np.clip((filled - filled.mean()) / filled.std(), -10, 10))
    if absent.any():
        blocks.append((absent - absent.mean()) / absent.std())
    return np.stack(blocks, 1), ""
