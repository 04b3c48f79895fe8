"""Slices of people as itemsets: columns cut into parts, and every crossing of up to three with enough rows, counted.

A crossing of features is one bincount over the rows; a slice has at most as many rows as each slice with a condition
less, so crossings whose pairs fell away are never counted (Agrawal & Srikant 1994).
N rows, n rows of one half, F features, S slices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from core.audit.strata import FEW_NUMBERS, MISSING, Outcome, stratify
from core.audit.words import is_numeric
from core.inference import effective_n
from core.types import BadInput, Predictions

MOST_CONDITIONS = 3


@dataclass(frozen=True)
class Condition:
    """One part of one column, in words."""

    feature: str
    value: str
    words: str


@dataclass(frozen=True)
class Column:
    """One feature as parts: code (N,) in 0..len(conditions)-1."""

    name: str
    code: np.ndarray
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Half:
    """Rows of one half: x (n,) 0 or 1, w (n,) or None, person (n,) or None, codes F of (n,), pooled: effective rows of
    everyone in proportion to rows (1 without persons)."""

    x: np.ndarray
    w: np.ndarray | None
    person: np.ndarray | None
    codes: tuple[np.ndarray, ...]
    pooled: float = 1.0

    @property
    def weight(self) -> np.ndarray:
        return np.ones(len(self.x)) if self.w is None else self.w


@dataclass(frozen=True)
class Found:
    """S slices: items (S, 3) and part (S, 3) are feature and value, -1 where there are fewer; parent (S, 3) the slices
    with one condition less; counts (4, S): rows, weight, squared weight, weight of hits."""

    items: np.ndarray
    part: np.ndarray
    parent: np.ndarray
    counts: np.ndarray

    def mask(self, half: Half, s: int) -> np.ndarray:
        """(n,) which rows of the half lie in slice s."""
        mask = np.ones(len(half.x), bool)
        for f, v in zip(self.items[s], self.part[s], strict=True):
            if f >= 0:
                mask &= half.codes[f] == v
        return mask

    def within(self, s: int, t: int) -> bool:
        """Whether slice s has all conditions of slice t."""
        mine, theirs = (set(zip(self.items[k].tolist(), self.part[k].tolist(), strict=True)) for k in (s, t))
        return theirs - {(-1, -1)} <= mine


def column_of(name: str, column: pd.Series, parts: int = 4) -> Column:
    """One column as parts. Raises BadInput where it cannot part anybody."""
    by = stratify(name, column, parts)
    dates = pd.api.types.is_datetime64_any_dtype(column)
    cut = (is_numeric(column) or dates) and column.nunique() > FEW_NUMBERS
    return Column(name, by.code, tuple(Condition(name, v, in_words(name, v, cut)) for v in by.labels))


def columns_of(rows: Predictions, parts: int = 4) -> tuple[list[Column], list[tuple[str, str]]]:
    """Attributes and features as parts, and the columns that cannot be parted, with the reason."""
    found, left_out = [], []
    for frame in (rows.attributes, rows.features):
        for name in frame.columns:
            try:
                found.append(column_of(str(name), frame[name], parts))
            except BadInput as problem:
                left_out.append((str(name), problem.found))
    return found, left_out


def in_words(name: str, value: str, cut: bool) -> str:
    """A part of a column as a condition.

    >>> in_words("hours", "45 or more", True), in_words("married", "yes", False), in_words("age", "age under 25", False)
    ('hours 45 or more', 'married = yes', 'age under 25')
    """
    if value.strip() == MISSING:
        return f"{name} missing"
    if value.startswith(f"{name} "):
        return value
    return f"{name} {value}" if cut else f"{name} = {value}"


def halves(rows: Predictions, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two (N,) masks that part the rows at random, persons whole."""
    unit = np.arange(rows.n) if rows.person is None else rows.person
    first = rng.permutation(int(unit.max(initial=0)) + 1) % 2 == 0
    return first[unit], ~first[unit]


def half_of(rows: Predictions, outcome: Outcome, columns: Sequence[Column], side: np.ndarray) -> Half:
    """The rows of `side` (N,) that the outcome speaks of."""
    here = np.flatnonzero(side & outcome.here)
    person = None if rows.person is None else np.unique(rows.person[here], return_inverse=True)[1]
    half = Half(outcome.value[here], None if rows.w is None else rows.w[here], person,
                tuple(c.code[here] for c in columns))
    if person is None or not len(here):
        return half
    everyone = np.ones(len(here), bool)
    return replace(half, pooled=rate_in(half, everyone)[1] / rate_in(replace(half, person=None), everyone)[1])


def rate_in(half: Half, mask: np.ndarray) -> tuple[float, float, int]:
    """Rate, effective rows and rows of those in the mask. With persons: p(1 - p) / variance by person, never more than
    the rows and, where everybody has the same outcome, the persons."""
    x, w = half.x[mask], half.weight[mask]
    if not len(x):
        return math.nan, 0.0, 0
    p, size = float((w * x).sum() / w.sum()), float(effective_n(w))
    if half.person is not None:
        person = half.person[mask]
        variance = float((np.bincount(person, w * (x - p)) ** 2).sum()) / float(w.sum()) ** 2
        size = min(size, p * (1 - p) / variance if variance > 1e-15 else float(len(np.unique(person))))
    return p, size, len(x)


def count(half: Half, flat: np.ndarray, cells: int) -> np.ndarray:
    """(4, cells): rows, weight, squared weight and weight of hits of every cell, given each row's cell (n,)."""
    if half.w is None:
        both = np.bincount(flat * 2 + half.x.astype(np.int64), minlength=2 * cells).reshape(cells, 2)
        n = both.sum(1)
        return np.stack([n, n, n, both[:, 1]]).astype(np.float64)
    w = half.w
    return np.stack([np.bincount(flat, v, cells) for v in (None, w, w * w, w * half.x)])


def itemsets(half: Half, sizes: Sequence[int], most: int = MOST_CONDITIONS, share: float = 0.03,
             min_n: int = 1) -> Found:
    """Every slice of up to `most` conditions that has `min_n` rows and the `share` of the weight.

    Args:
        half: rows with F codes. sizes: F numbers of parts.
    """
    lattice = _Lattice(half, share, min_n)
    for f, size in enumerate(sizes):
        lattice.single(f, size)
    for f, g in combinations(range(len(sizes)), 2) if most > 1 else ():
        lattice.pair(f, g)
    for f, g in list(lattice.pairs) if most > 2 else ():
        lattice.triples(f, g)
    return lattice.found()


class _Lattice:
    """Slices as they are counted; codes of features hold the parts that are left, and one more for those that fell
    away, and `pairs` the place of every pair of parts or -1."""

    def __init__(self, half: Half, share: float, min_n: int) -> None:
        self.half, self.min_n = half, min_n
        self.mass = share * float(half.weight.sum()) - 1e-9
        self.blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        self.size = 0
        self.codes: list[np.ndarray] = []
        self.values: list[np.ndarray] = []
        self.ones: list[np.ndarray] = []
        self.pairs: dict[tuple[int, int], np.ndarray] = {}

    def single(self, f: int, size: int) -> None:
        counts = count(self.half, self.half.codes[f], size)
        live = np.flatnonzero(self._alive(counts))
        place = np.full(size, len(live))
        place[live] = np.arange(len(live))
        self.codes.append(place[self.half.codes[f]])
        self.values.append(live)
        self.ones.append(self._add((f,), [live], [], counts[:, live]))

    def pair(self, f: int, g: int) -> None:
        a, b = len(self.values[f]), len(self.values[g])
        counts = count(self.half, self.codes[f] * (b + 1) + self.codes[g], (a + 1) * (b + 1))
        counts = counts.reshape(4, a + 1, b + 1)[:, :-1, :-1]
        i, j = np.nonzero(self._alive(counts))
        if len(i):
            self.pairs[f, g] = np.full((a, b), -1)
            self.pairs[f, g][i, j] = self._add((f, g), [self.values[f][i], self.values[g][j]],
                                               [self.ones[f][i], self.ones[g][j]], counts[:, i, j])

    def triples(self, f: int, g: int) -> None:
        """All crossings of a pair of features with a later one."""
        grid = self.pairs[f, g]
        third = [h for h in range(g + 1, len(self.values)) if (f, h) in self.pairs and (g, h) in self.pairs]
        if not third:
            return
        i, j = np.nonzero(grid >= 0)
        place = np.full((grid.shape[0] + 1, grid.shape[1] + 1), len(i))
        place[i, j] = np.arange(len(i))
        flat = place[self.codes[f], self.codes[g]]
        for h in third:
            c = len(self.values[h])
            counts = count(self.half, flat * (c + 1) + self.codes[h], (len(i) + 1) * (c + 1))
            counts = counts.reshape(4, len(i) + 1, c + 1)[:, :-1, :-1]
            p, k = np.nonzero(self._alive(counts))
            self._add((f, g, h), [self.values[f][i[p]], self.values[g][j[p]], self.values[h][k]],
                      [grid[i[p], j[p]], self.pairs[f, h][i[p], k], self.pairs[g, h][j[p], k]], counts[:, p, k])

    def found(self) -> Found:
        if not self.blocks:
            empty = np.zeros((0, MOST_CONDITIONS), np.int64)
            return Found(empty, empty, empty, np.zeros((4, 0)))
        items, part, parent, counts = zip(*self.blocks, strict=True)
        return Found(np.concatenate(items), np.concatenate(part), np.concatenate(parent),
                     np.concatenate(counts, axis=1))

    def _alive(self, counts: np.ndarray) -> np.ndarray:
        return (counts[0] >= self.min_n) & (counts[1] >= self.mass)

    def _add(self, features: tuple[int, ...], parts: Sequence[np.ndarray], parents: Sequence[np.ndarray],
             counts: np.ndarray) -> np.ndarray:
        """Keep k slices and return their places (k,)."""
        k = counts.shape[1]
        items, part, parent = (np.full((k, MOST_CONDITIONS), -1) for _ in range(3))
        items[:, : len(features)] = features
        for table, columns in ((part, parts), (parent, parents)):
            for at, column in enumerate(columns):
                table[:, at] = column
        self.blocks.append((items, part, parent, counts))
        self.size += k
        return np.arange(self.size - k, self.size)
