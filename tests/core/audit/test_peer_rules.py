from __future__ import annotations

import math

import numpy as np
import pytest

from core.audit.peer_rules import least_ratio, mean_gap, mean_ratio, over, rate_of, ratio_of

RATES = np.array([0.75, 0.25, 0.0])


def test_pairs_are_averaged_by_oxonfair():
    assert mean_gap(RATES) == pytest.approx((0.5 + 0.25 + 0.75) / 3)
    assert mean_ratio(RATES) == pytest.approx((1 / 3 + 0 + 0) / 3)
    assert mean_ratio(np.zeros(3)) == 1.0, "0 / 0 counts as 1"
    assert mean_ratio(np.array([0.5, 0.0, 0.0])) == pytest.approx(1 / 3)


def test_one_group_has_a_mean_gap_of_zero_and_no_mean_ratio():
    assert mean_gap(np.array([0.4])) == 0 and math.isnan(mean_ratio(np.array([0.4])))


def test_division_by_zero_is_as_floating_point_has_it():
    assert math.isnan(over(0, 0)) and over(1, 0) == math.inf and ratio_of(np.array([0.2, 0.4])) == 0.5
    assert math.isnan(ratio_of(np.zeros(2))) and least_ratio(np.zeros(2)) == 0


def test_an_empty_denominator_is_what_the_tool_says():
    counts = np.array([[[3.0, 1.0], [0.0, 0.0]]])
    assert math.isnan(rate_of(counts, "tpr")[0]) and rate_of(counts, "tpr", 0.0)[0] == 0
    assert rate_of(counts, "error_ratio", least=1.0)[0] == 1, "one false positive for at least one false negative"
    assert rate_of(counts, "fpr")[0] == 0.25 and rate_of(counts, "accuracy")[0] == 0.75
