"""Weighted scores with many ties in three groups and 12 rows in none, under four worlds of weights."""

from __future__ import annotations

import numpy as np
import pytest

from core.types import Scored


@pytest.fixture
def scored(rng):
    group = np.r_[rng.integers(0, 3, 150), np.full(12, -1)]
    y = rng.integers(0, 2, 162)
    score = np.clip(rng.integers(0, 9, 162) / 10 + 0.1 * y + 0.05 * group, 0, 1).round(2)
    return Scored(score, y, group, 3, rng.random((2, 2, 162)) + 0.05)


@pytest.fixture
def each_group(scored):
    """(metric, reference(y, score, w)) -> values beside those of the rows of every world and group."""
    def both(metric, reference):
        expected = [[[reference(scored.y[own], scored.score[own], w[own])
                      for own in (scored.group == g for g in range(3))] for w in block] for block in scored.w]
        return metric.of(scored), np.array(expected)
    return both


@pytest.fixture
def pairs():
    """(score, w) of one side and of the other -> weighted share of pairs that the first side wins, by a loop."""
    def share(first, w_first, second, w_second):
        won = sum(wa * wb * (1.0 if a > b else 0.5 if a == b else 0.0)
                  for a, wa in zip(first, w_first, strict=True) for b, wb in zip(second, w_second, strict=True))
        return won / (w_first.sum() * w_second.sum())
    return share
