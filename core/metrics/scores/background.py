"""A group against everybody else: the pairs that the nuanced metrics of unintended bias count."""

from __future__ import annotations

import numpy as np

from core.metrics.scores.ranks import all_ties, group_ties, middle, win_share, worlds
from core.types import Scored

NEGATIVE, POSITIVE = 0, 1


def against_background(scored: Scored, own: int, other: int) -> np.ndarray:
    """How often a row of the group scores above a row of everybody else, ties one half.

    Args:
        own: which rows of the group, NEGATIVE or POSITIVE. other: which rows of the background.

    Returns:
        (..., G); NaN where either side has no rows.
    """
    everyone, ties, lead = all_ties(scored), group_ties(scored), np.shape(scored.w)[:-1]
    found = np.full((int(np.prod(lead)), scored.n_groups), np.nan)
    if not len(scored.score):
        return found.reshape(*lead, scored.n_groups)
    for block, w in worlds(scored):
        below = middle(everyone.mass(w, scored.y)[other])
        outside = _outside(w, scored, other)
        for g, rows in enumerate(ties):
            if rows is not None:
                mass = rows.mass(w, scored.y)
                pairs = mass[own].sum(-1) * outside[:, g]
                found[block, g] = win_share(mass[own], below[:, rows.place] - middle(mass[other]), pairs)
    return found.reshape(*lead, scored.n_groups)


def _outside(w: np.ndarray, scored: Scored, label: int) -> np.ndarray:
    """(W, G) weight of the rows of one label outside each group; exactly 0 where there is none."""
    codes, groups = scored.group + 1, scored.n_groups + 1  # 0 is "in no group"
    chosen = np.flatnonzero(np.asarray(scored.y) == label)
    member = np.zeros((len(chosen), groups))
    member[np.arange(len(chosen)), codes[chosen]] = 1.0
    return (w[:, chosen] @ member) @ (1.0 - np.eye(groups))[:, 1:]
