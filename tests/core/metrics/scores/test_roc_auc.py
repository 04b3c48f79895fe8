from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from core.metrics.scores.roc_auc import METRIC
from core.types import Scored


def test_equals_scikit_learn_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: roc_auc_score(y, s, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-10)


def test_a_group_of_one_class_is_undefined_and_ties_count_one_half():
    y, group = np.array([1, 1, 0, 1]), np.array([0, 0, 1, 1])
    found = METRIC.of(Scored(np.array([0.1, 0.2, 0.5, 0.5]), y, group, 2, np.ones(4)))
    assert np.isnan(found[0]) and found[1] == 0.5


def test_a_monotone_change_of_scores_changes_nothing(scored):
    other = Scored(scored.score**3 * 7 - 2, scored.y, scored.group, 3, scored.w, probability=False)
    assert np.array_equal(METRIC.of(other), METRIC.of(scored))
