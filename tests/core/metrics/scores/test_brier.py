from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss

from core.metrics.scores.brier import METRIC
from core.types import Scored


def test_equals_scikit_learn_with_weights_and_ties(each_group):
    found, expected = each_group(METRIC, lambda y, s, w: brier_score_loss(y, s, sample_weight=w))
    assert found == pytest.approx(expected, rel=1e-10)


def test_scores_that_are_no_probabilities_are_undefined(scored):
    other = Scored(scored.score * 5, scored.y, scored.group, 3, scored.w, probability=False)
    assert np.isnan(METRIC.of(other)).all() and "not probabilities" in METRIC.undefined
