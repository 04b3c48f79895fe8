"""How many rows of each cell a member sees, which ones, and new ones between neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.neighbors import NearestNeighbors

from core.methods.ensemble._members import Data, Sample, once

Pick = Callable[[int, np.ndarray, np.random.Generator], Sample]


def share_at(amount: float, schedule: str, t: int, rounds: int) -> float:
    """How far round t (0-based) of `rounds` is from the original sizes (0) towards equal ones (1)."""
    return amount if schedule == "uniform" or rounds < 2 else amount * t / (rounds - 1)


def wanted(sizes: np.ndarray, to: str, share: float) -> np.ndarray:
    """(G,) rows wanted of each cell, `share` of the way to the smallest ("under") or largest ("over") one.

    Empty cells stay empty and do not count as the smallest; every other keeps at least one row."""
    seen = sizes > 0
    goal = sizes[seen].min() if to == "under" else sizes.max()
    return np.where(seen, np.maximum(np.round(sizes + share * (goal - sizes)), 1), 0).astype(int)


def draw(cell: np.ndarray, n: np.ndarray, rng: np.random.Generator, replace: bool) -> np.ndarray:
    """(Q,) rows, n[g] of each cell g: with replacement, or all rows as often as they fit and some once more."""
    chosen = []
    for g in np.flatnonzero(n):
        rows = np.flatnonzero(cell == g)
        if replace:
            chosen.append(rows[rng.integers(0, len(rows), n[g])])
        else:
            whole, rest = divmod(int(n[g]), len(rows))
            chosen += [np.tile(rows, whole), rng.permutation(rows)[:rest]]
    return np.concatenate(chosen)


def resample(data: Data, n: np.ndarray, w: np.ndarray, share: float, rng, replace: bool) -> Sample:
    """n[g] rows of each cell with weights w, levelled by `share`: equal numbers count the same at share 1."""
    rows, weight = once(draw(data.cell, n, rng, replace), w * data.level**share)
    return Sample(data.x[rows], data.y[rows], weight, n)


def picker(data: Data, to: str, hp, rounds: int, replace: bool) -> Pick:
    """pick(t, w, rng): the sample of round t under hp["amount"] and hp["schedule"], rows weighing w."""

    def pick(t: int, w: np.ndarray, rng: np.random.Generator) -> Sample:
        share = share_at(hp["amount"], hp["schedule"], t, rounds)
        return resample(data, wanted(data.sizes, to, share), w, share, rng, replace)

    return pick


def neighbours(x: np.ndarray, k: int) -> np.ndarray:
    """(m, min(k, m - 1)) positions of the nearest other rows of x (m, D); no column where there is only one row."""
    k = min(k, len(x) - 1)
    if k < 1:
        return np.empty((len(x), 0), dtype=int)
    near = NearestNeighbors(n_neighbors=k + 1).fit(x).kneighbors(x, return_distance=False)
    itself = near == np.arange(len(x))[:, None]  # with equal rows a row need not be its own first neighbour
    return np.take_along_axis(near, np.argsort(itself, axis=1, kind="stable"), axis=1)[:, :k]


def between(x: np.ndarray, near: np.ndarray, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """n points on the way from a row of x to one of its neighbours -> ((n, D), (n,) rows they start from)."""
    base = rng.integers(0, len(x), n)
    if near.shape[1] == 0:
        return x[base], base
    partner = near[base, rng.integers(0, near.shape[1], n)]
    return x[base] + rng.random((n, 1)).astype(x.dtype) * (x[partner] - x[base]), base


def synthetic_picker(data: Data, hp, rounds: int, replace: bool) -> Pick:
    """As `picker` towards the largest cell, smaller ones filled with points between neighbours.

    A new point takes the class and the weight of the row it starts from. Neighbours are searched once."""
    sizes = data.sizes
    small = [g for g in np.flatnonzero(sizes) if sizes[g] < sizes.max()]
    rows = {g: np.flatnonzero(data.cell == g) for g in small}
    near = {g: neighbours(data.x[rows[g]], hp["k"]) for g in small}

    def pick(t: int, w: np.ndarray, rng: np.random.Generator) -> Sample:
        share = share_at(hp["amount"], hp["schedule"], t, rounds)
        n = wanted(sizes, "over", share)
        old = resample(data, sizes, w, share, rng, replace)
        xs, ys, ws, weight = [old.x], [old.y], [old.w], w * data.level**share
        for g in small:
            x, base = between(data.x[rows[g]], near[g], n[g] - sizes[g], rng)
            xs, ys, ws = [*xs, x], [*ys, data.y[rows[g][base]]], [*ws, weight[rows[g][base]]]
        return Sample(np.concatenate(xs), np.concatenate(ys), np.concatenate(ws), n)

    return pick


def changes_nothing(data: Data, amount: float) -> bool:
    """Whether resampling leaves every size as it is: nothing asked for, or all cells alike already."""
    seen = data.sizes[data.sizes > 0]
    return amount == 0 or bool((seen == seen[0]).all())
