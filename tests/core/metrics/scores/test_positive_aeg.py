from __future__ import annotations

import numpy as np
import pytest

from core.metrics.scores.positive_aeg import METRIC
from core.types import Scored


def test_equals_a_loop_over_pairs_with_everybody_outside_the_group(scored, pairs):
    found = METRIC.of(scored)
    for g in range(3):
        own = (scored.group == g) & (scored.y == 1)
        other = (scored.group != g) & (scored.y == 1)
        w = scored.w[1, 0]
        share = pairs(scored.score[own], w[own], scored.score[other], w[other])
        assert found[1, 0, g] == pytest.approx(share - 0.5)


def test_moving_the_group_up_makes_it_rise(scored):
    moved = Scored(scored.score + 0.3 * (scored.group == 1), scored.y, scored.group, 3, scored.w, probability=False)
    assert ((METRIC.of(moved) - METRIC.of(scored))[..., 1] > 0).all()


def test_without_anybody_else_it_is_undefined(scored):
    alone = Scored(scored.score, scored.y, np.zeros(162, int), 1, scored.w)
    assert np.isnan(METRIC.of(alone)).all()
