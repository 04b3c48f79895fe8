"""Bootstrap worlds of scores at any number of rows: row by row while that is cheap, over bins of scores beyond.

Metrics on scores are sums over (group, label, score). Drawing rows again within a group is exactly a multinomial draw
over these cells, whose cost does not grow with the rows in a cell. Where there are too many distinct scores, close ones
share a bin, the same for all groups, and the worlds keep the deviation of the binned metric from its binned value: the
draws are of all rows, so nothing has to be rescaled, and only the spread inside a bin is lost. Bins are cut at
quantiles (order), at equal widths that hold the fifteenths of calibration errors, and at even steps of log odds
(log loss in the tails); scores that are no probabilities have ever smaller bins towards both ends. With weights a
cell's weight is a gamma draw with the mean and the variance of the weights of the rows drawn.
K cells, D worlds, N rows, A groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.audit.numbers import draw_person_cells, what_is_drawn
from core.metrics.scores.bins import BINS
from core.types import Metric, Predictions, Scored

MOST_ROWS = 10_000  # up to here every row is drawn by itself
DRAWN = 5_000_000  # weights of all worlds together
FEWEST_WORLDS = 100
MOST_CELLS, CELLS_A_GROUP = 10_000, 200
MOST_LOG_ODDS = 36.0  # beyond it probabilities are 0 or 1 to the last digit


@dataclass(frozen=True)
class Sides:
    """Scores as groups and as everyone, sorted once: `of` gives a metric for the groups and, last, for everyone."""

    groups: Scored
    everyone: Scored

    @staticmethod
    def make(score: np.ndarray, y: np.ndarray, group: np.ndarray, n_groups: int, w: np.ndarray,
             probability: bool) -> Sides:
        """score, y, group (K,); w (..., K)."""
        return Sides(Scored(score, y, group, n_groups, w, probability),
                     Scored(score, y, np.zeros(len(score), np.int64), 1, w, probability))

    def of(self, metric: Metric) -> np.ndarray:
        """(..., A + 1)."""
        return np.concatenate([metric.of(self.groups), metric.of(self.everyone)], axis=-1)


@dataclass(frozen=True)
class ScoreWorlds:
    """D worlds of the same scores: `drawn` has weights (D, K); `binned` the undrawn ones (K,) where scores share bins,
    None where the cells are the rows' own scores. how: in words."""

    drawn: Sides
    binned: Sides | None
    how: str

    def of(self, metric: Metric, value: np.ndarray) -> np.ndarray:
        """(D, A + 1) worlds of a metric whose value on the rows is `value` (A + 1,)."""
        found = self.drawn.of(metric)
        if self.binned is None:
            return found
        return np.clip(value + (found - self.binned.of(metric)), *metric.bounds)


def draw_scores(rows: Predictions, model: int, draws: int, rng: np.random.Generator,
                most_rows: int = MOST_ROWS) -> ScoreWorlds:
    """Worlds of one model's scores.

    Args:
        rows: checked rows with labels of two classes; the model has scores. draws: at most so many worlds.
        most_rows: rows above which cells are drawn instead of rows.

    Returns:
        ScoreWorlds: groups keep their numbers of rows; persons are drawn whole where rows have them.
    """
    y, score = np.asarray(rows.y), np.asarray(rows.models[model].score, dtype=np.float64)
    probability, a = rows.models[model].probability, rows.n_attrs
    how = what_is_drawn(rows)
    if rows.n <= most_rows:
        w = _rows_again(rows, _worlds(rows.n, draws), rng)
        return ScoreWorlds(Sides.make(score, y, rows.groups.code, a, w, probability), None, how)
    shown, place, merged = _binned(score, rows, probability)
    cell = (place * a + rows.groups.code) * 2 + y
    kept, cell = np.unique(cell, return_inverse=True)
    w, base = _cells_again(rows, cell, kept // 2 % a, _worlds(len(kept), draws), rng)
    parts = (shown[kept // (2 * a)], kept % 2, kept // 2 % a, a)
    drawn = Sides.make(*parts, w, probability)
    if not merged:
        return ScoreWorlds(drawn, None, how)
    return ScoreWorlds(drawn, Sides.make(*parts, base, probability), f"{how} (scores in {len(shown):,} bins)")


def _worlds(cells: int, draws: int) -> int:
    return int(min(draws, max(DRAWN // max(cells, 1), FEWEST_WORLDS)))


def _binned(score: np.ndarray, rows: Predictions, probability: bool) -> tuple[np.ndarray, np.ndarray, bool]:
    """(B,) the score that stands for each bin, ascending, (N,) the bin of every row, and whether scores were merged.
    Equal scores always share a bin."""
    most = max(MOST_CELLS, CELLS_A_GROUP * rows.n_attrs) // (2 * rows.n_attrs)
    distinct, place = np.unique(score, return_inverse=True)
    if len(distinct) <= most:
        return distinct, place, False
    place = np.searchsorted(_edges(score, most, probability), score, "right")
    place = np.unique(place, return_inverse=True)[1]
    w = np.ones(rows.n) if rows.w is None else rows.w
    return np.bincount(place, w * score) / np.bincount(place, w), place, True


def _edges(score: np.ndarray, bins: int, probability: bool) -> np.ndarray:
    """Ascending edges of about `bins` bins: quantiles, even widths and, for probabilities, even log odds, else single
    rows at both ends and ever more of them towards the middle (a long tail carries a mean)."""
    at = np.linspace(0, len(score) - 1, bins + 1)[1:-1].astype(np.int64)
    ordered = np.sort(score)
    edges = [ordered[at]]
    low, high = (0.0, 1.0) if probability else (float(ordered[0]), float(ordered[-1]))
    edges.append(low + (high - low) * np.arange(1, n := BINS * max(1, bins // (5 * BINS))) / n)
    if probability:
        odds = np.linspace(-MOST_LOG_ODDS, MOST_LOG_ODDS, int(2 * MOST_LOG_ODDS * np.clip(bins / 200, 1, 4)) + 1)
        edges.append(1 / (1 + np.exp(-odds)))
    else:
        far = np.unique(np.geomspace(1, len(score) / 2, max(bins // 10, 20)).astype(np.int64))
        edges += [ordered[far], ordered[-far]]
    return np.unique(np.concatenate(edges))


def _rows_again(rows: Predictions, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(D, N) weights of rows drawn again within their group, or of persons drawn again."""
    base = np.ones(rows.n) if rows.w is None else rows.w
    if rows.person is not None:
        people = int(rows.person.max()) + 1
        return rng.multinomial(people, np.full(people, 1 / people), size=draws)[:, rows.person] * base
    out = np.empty((draws, rows.n))
    for g in range(rows.n_attrs):
        here = np.flatnonzero(rows.groups.code == g)
        if len(here):
            out[:, here] = rng.multinomial(len(here), np.full(len(here), 1 / len(here)), size=draws) * base[here]
    return out


def _cells_again(rows: Predictions, cell: np.ndarray, group: np.ndarray, draws: int,
                 rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Weights (D, K) of K cells whose rows (or persons) are drawn again, and the undrawn weights (K,).

    Args:
        cell: (N,) the cell of every row; all are used. group: (K,) the group of each cell.
    """
    n = np.bincount(cell)
    base = n.astype(np.float64) if rows.w is None else np.bincount(cell, rows.w)
    if rows.person is not None:
        return draw_person_cells(rows, cell, len(n), draws, rng), base
    out = np.empty((draws, len(n)))
    for g in range(rows.n_attrs):
        here = np.flatnonzero(group == g)
        if len(here):
            size = n[here].sum()
            out[:, here] = rng.multinomial(size, n[here] / size, size=draws)
    if rows.w is None:
        return out, base
    mean = base / n
    variance = np.bincount(cell, rows.w**2) / n - mean**2
    varied = np.flatnonzero(variance > 1e-12 * mean**2)
    shape, scale = (mean**2 / np.where(variance > 0, variance, 1.0))[varied], (variance / mean)[varied]
    times = out[:, varied]
    out *= mean
    out[:, varied] = rng.standard_gamma(times * shape) * scale
    return out, base
