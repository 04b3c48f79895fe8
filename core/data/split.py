"""Cut a dataset into training, validation and test rows: stratified by subgroup, whole keys together, by seed."""

from __future__ import annotations

import numpy as np

from core.types import BadInput, Dataset, Groups, Splits, SplitSpec

SHARES_HINT = "use 0.6, 0.15 and 0.25"


def check_shares(spec: SplitSpec) -> np.ndarray:
    """(3,) shares of train, val, test, or BadInput where one is not in [0.05, 0.9] or they do not sum to 1."""
    shares = np.array([spec.train, spec.val, spec.test], dtype=float)
    if not np.isfinite(shares).all() or (shares < 0.05).any() or (shares > 0.9).any():
        raise BadInput(
            "Split", f"{spec.train:g}, {spec.val:g}, {spec.test:g}", "three shares from 0.05 to 0.9", SHARES_HINT
        )
    if abs(shares.sum() - 1) > 1e-6:
        raise BadInput("Split", f"shares that sum to {shares.sum():g}", "shares that sum to 1", SHARES_HINT)
    if isinstance(spec.seed, bool) or not isinstance(spec.seed, int) or not 0 <= spec.seed < 2**31:
        raise BadInput("Split seed", repr(spec.seed), "a whole number from 0 to 2147483647", "use 0")
    return shares


def stratum(dataset: Dataset, groups: Groups) -> np.ndarray:
    """(N,) int64 cell of each row: class x attribute group; a numeric label counts by quarter."""
    y = dataset.y
    if not dataset.classes:
        y = np.searchsorted(np.quantile(y, [0.25, 0.5, 0.75]), y, side="right")
    return np.unique(y.astype(np.int64) * len(groups.labels) + groups.code, return_inverse=True)[1]


def make_splits(dataset: Dataset, groups: Groups, spec: SplitSpec) -> Splits:
    """Every row in exactly one part; the same seed, the same split.

    Within a subgroup the parts get their shares to the nearest row, training first in tiny subgroups. With a split key
    whole keys move, each filed under the rarest subgroup among its rows.
    """
    shares = check_shares(spec)
    rng = np.random.default_rng([spec.seed, 7])
    cells = stratum(dataset, groups)
    if dataset.key is None:
        part = _deal(cells, shares, rng)
    else:
        sizes = np.bincount(cells)
        order = np.lexsort((sizes[cells], dataset.key))
        keys, first = np.unique(dataset.key[order], return_index=True)
        if len(keys) < 3:
            raise BadInput("Split key", f"{len(keys)} different values", "at least 3", "choose another column or none")
        of_key = _deal(cells[order][first], shares, rng)
        part = of_key[np.searchsorted(keys, dataset.key)]
    parts = [np.flatnonzero(part == p) for p in range(3)]
    for name, rows in zip(("training", "validation", "test"), parts, strict=True):
        if len(rows) == 0:
            raise BadInput(
                "Split", f"no {name} rows ({len(cells)} rows in all)", "rows in every part", "bring more rows"
            )
    return Splits(*parts)


def _deal(cells: np.ndarray, shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(M,) part 0, 1 or 2 of each item, stratified by cell, without a loop over items.

    Within a cell the shuffled items stand at quantiles (rank + u) / size, with one offset u per cell, so a part gets
    its share of every cell to within one item and rounding evens out over cells. Cells of one or two items go to the
    first part first; where they hold more than a tenth of all items they are dealt together as one cell.
    """
    sizes = np.bincount(cells)
    tiny = sizes < 3
    if tiny[cells].mean() > 0.1:
        cells = np.where(tiny[cells], len(sizes), cells)
        sizes = np.bincount(cells)
    shuffled = rng.permutation(len(cells))
    order = shuffled[np.argsort(cells[shuffled], kind="stable")]
    rank = np.arange(len(cells)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    offset = rng.random(len(sizes))
    tiny = sizes < 3
    place = (rank + np.repeat(np.where(tiny, 0.0, offset), sizes)) / np.repeat(np.maximum(sizes, 1), sizes)
    part = np.empty(len(cells), dtype=np.int8)
    part[order] = np.searchsorted(np.cumsum(shares)[:2], place, side="right")
    return part


def halve(rows: np.ndarray, cells: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two halves of `rows`, stratified by their `cells`, ascending."""
    part = _deal(np.unique(cells, return_inverse=True)[1], np.array([0.5, 0.5, 0.0]), np.random.default_rng([seed, 11]))
    return rows[part == 0], rows[part != 0]
