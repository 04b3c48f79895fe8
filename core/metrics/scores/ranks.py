"""What metrics on scores share: rows of a group in order of score, ties as one, and weights in chunks of worlds.

Shapes: N rows, W worlds (the leading axes of the weights, flattened), G groups, T distinct scores of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from core.metrics.cells import divide
from core.types import BadInput, Scored

CELLS = 4_000_000  # numbers of one array at a time: eight such arrays stay under 300 MB


@dataclass(frozen=True)
class Ties:
    """One group's rows from the lowest score to the highest, rows of the same score together.

    rows: (n,) their positions; start: (T,) where each distinct score begins among them; score: (T,) ascending;
    place: (T,) the number of that score among the distinct scores of all rows.
    """

    rows: np.ndarray
    start: np.ndarray
    score: np.ndarray
    place: np.ndarray

    def mass(self, w: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights (W, N) -> weight of the negatives and of the positives at each distinct score, each (W, T)."""
        own, positive = w[:, self.rows], y[self.rows].astype(np.float64)
        return (np.add.reduceat(own * (1.0 - positive), self.start, axis=-1),
                np.add.reduceat(own * positive, self.start, axis=-1))


def middle(mass: np.ndarray) -> np.ndarray:
    """Mass (..., T) -> (..., T): all mass below each score and half of the mass at it."""
    return mass.cumsum(-1) - mass / 2


def win_share(mass: np.ndarray, below: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Share of pairs that rows of `mass` (..., T) win, `below` (..., T) rivals being below them; NaN for no pairs."""
    return np.clip(divide((mass * below).sum(-1), pairs), 0.0, 1.0)


def all_ties(scored: Scored) -> Ties:
    """All rows, those in no group included."""
    rows = scored.order
    score = scored.score[rows]
    start = np.flatnonzero(np.r_[True, score[1:] != score[:-1]]) if len(rows) else np.zeros(0, dtype=np.int64)
    return Ties(rows, start, score[start], np.arange(len(start)))


def group_ties(scored: Scored) -> list[Ties | None]:
    """The rows of every group; None for a group without rows."""
    everyone = all_ties(scored)
    place = np.zeros(len(everyone.rows), dtype=np.int64)
    place[everyone.start[1:]] = 1
    place = place.cumsum()
    code = np.asarray(scored.group)[everyone.rows]
    by_group = code.argsort(kind="stable")
    ends = np.searchsorted(code[by_group], np.arange(scored.n_groups + 1))
    return [_ties(everyone, place, by_group[low:high]) for low, high in zip(ends[:-1], ends[1:], strict=True)]


def _ties(everyone: Ties, place: np.ndarray, ranks: np.ndarray) -> Ties | None:
    if not len(ranks):
        return None
    own = place[ranks]
    start = np.flatnonzero(np.r_[True, own[1:] != own[:-1]])
    return Ties(everyone.rows[ranks], start, everyone.score[own[start]], own[start])


def worlds(scored: Scored) -> Iterator[tuple[slice, np.ndarray]]:
    """Weights (..., N) as blocks (W', N) of flattened leading axes, with the worlds that each block covers."""
    w, n = np.asarray(scored.w), len(scored.score)
    if w.shape[-1:] != (n,) or len(scored.y) != n or len(scored.group) != n:
        raise BadInput("Rows", f"{n} scores, {len(scored.y)} labels, weights {w.shape}", "as many of each",
                       "give columns of the same rows")
    flat = w.reshape(-1, n) if n else np.zeros((int(np.prod(w.shape[:-1])), 0))
    step = max(1, CELLS // max(n, 1))
    for low in range(0, len(flat), step):
        yield slice(low, low + step), flat[low : low + step].astype(np.float64)


def per_group(scored: Scored, value: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """A formula over each group's own rows.

    Args:
        value: (negatives (W, T), positives (W, T), score (T,)) -> (W,); weights at each distinct score, ascending.

    Returns:
        (..., G); NaN for a group without rows.
    """
    ties, lead = group_ties(scored), np.shape(scored.w)[:-1]
    found = np.full((int(np.prod(lead)), scored.n_groups), np.nan)
    for block, w in worlds(scored):
        for g, own in enumerate(ties):
            if own is not None:
                found[block, g] = value(*own.mass(w, scored.y), own.score)
    return found.reshape(*lead, scored.n_groups)


def per_group_probability(
    scored: Scored, value: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """As `per_group`, NaN throughout where scores are not probabilities."""
    if not scored.probability:
        return np.full((*np.shape(scored.w)[:-1], scored.n_groups), np.nan)
    return per_group(scored, value)
