from __future__ import annotations

import pytest
from sklearn.metrics import roc_auc_score

from core.metrics.scores.subgroup_auc import METRIC
from core.types import Scored


def test_equals_scikit_learn_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: roc_auc_score(y, s, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-10)


def test_moving_one_group_up_changes_nothing(scored):
    moved = Scored(scored.score + 0.3 * (scored.group == 1), scored.y, scored.group, 3, scored.w, probability=False)
    assert METRIC.of(moved) == pytest.approx(METRIC.of(scored))
