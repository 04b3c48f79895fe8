from __future__ import annotations

import numpy as np
import pytest

from core.metrics.scores import ranks
from core.metrics.scores.ranks import all_ties, group_ties, middle, per_group, win_share, worlds
from core.types import BadInput, Scored


def small():
    return Scored(np.array([0.5, 0.1, 0.5, 0.9]), np.array([1, 0, 0, 1]), np.array([0, 1, 0, -1]), 3, np.ones(4))


def test_rows_of_the_same_score_stand_together():
    ties = all_ties(small())
    assert ties.score.tolist() == [0.1, 0.5, 0.9] and ties.start.tolist() == [0, 1, 3]
    own = group_ties(small())
    assert own[0].score.tolist() == [0.5] and own[0].place.tolist() == [1] and sorted(own[0].rows) == [0, 2]
    assert own[2] is None
    negatives, positives = own[0].mass(np.ones((1, 4)), small().y)
    assert negatives.tolist() == [[1.0]] and positives.tolist() == [[1.0]]


def test_half_of_a_tie_lies_below():
    assert middle(np.array([2.0, 4.0, 1.0])).tolist() == [1.0, 4.0, 6.5]
    assert win_share(np.array([0.0, 1.0]), np.array([0.5, 2.0]), np.array(4.0)) == 0.5
    assert np.isnan(win_share(np.array([1.0]), np.array([0.0]), np.array(0.0)))


def test_worlds_in_chunks_equal_all_at_once(monkeypatch, rng):
    scored = Scored(rng.random(50), rng.integers(0, 2, 50), rng.integers(0, 2, 50), 2, rng.random((7, 3, 50)))
    total = lambda negatives, positives, score: (negatives + positives) @ score  # noqa: E731
    whole = per_group(scored, total)
    monkeypatch.setattr(ranks, "CELLS", 120)
    assert [block.stop for block, _ in worlds(scored)][:3] == [2, 4, 6]
    assert per_group(scored, total) == pytest.approx(whole) and whole.shape == (7, 3, 2)


def test_weights_of_other_rows_are_refused():
    with pytest.raises(BadInput, match="4 scores"):
        list(worlds(Scored(small().score, small().y, small().group, 3, np.ones(5))))
