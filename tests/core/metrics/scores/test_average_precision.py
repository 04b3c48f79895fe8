from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from core.metrics.scores.average_precision import METRIC
from core.types import Scored


def test_equals_scikit_learn_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: average_precision_score(y, s, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-10)


def test_no_positives_is_undefined_and_constant_scores_reach_the_prevalence():
    y, group = np.array([0, 0, 1, 0, 0, 0]), np.array([0, 0, 1, 1, 1, 1])
    found = METRIC.of(Scored(np.full(6, 0.3), y, group, 2, np.ones(6)))
    assert np.isnan(found[0]) and found[1] == 0.25
