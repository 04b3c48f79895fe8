"""Intervals between groups: published values, and they cover as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from core.gaps import COVERAGE, difference, gap_interval, quotient, ratio_interval, worst_interval

CASES = [(2, (0.5, 0.5)), (2, (0.3, 0.5)), (2, (0.02, 0.05)), (5, (0.5,) * 5), (5, (0.2, 0.3, 0.4, 0.5, 0.6)),
         (5, (0.97, 0.98, 0.98, 0.99, 0.99))]


def test_newcombes_published_examples():
    for a, m, b, n, want in [(56, 70, 48, 80, (0.0524, 0.3339)), (9, 10, 3, 10, (0.1705, 0.8090)),
                             (10, 10, 0, 20, (0.6791, 1.0)), (0, 10, 0, 20, (-0.1611, 0.2775))]:
        found = [float(end) for end in difference(a / m, m, b / n, n)]
        assert found == pytest.approx(want, abs=6e-4)


def test_a_gap_without_any_error_has_an_interval():
    low, high = gap_interval(np.ones(3), np.array([20, 50, 500]))
    assert low == 0 and 0.1 < high < 0.25
    low, high = worst_interval(np.ones(3), np.array([20, 50, 500]))
    assert 0.8 < low < 0.85 and high == 1.0


def test_one_group_has_no_gap():
    assert np.isnan(gap_interval(np.array([0.5]), np.array([9.0]))).all()
    assert np.isnan(ratio_interval(np.array([0.5]), np.array([9.0]))).all()


def test_intervals_hold_the_estimate_and_are_computed_for_many_tables_at_once():
    rng = np.random.default_rng(0)
    n = rng.integers(5, 200, (50, 4))
    rate = rng.binomial(n, 0.4) / n
    for low, high, value in [(*gap_interval(rate, n), np.ptp(rate, axis=-1)),
                             (*worst_interval(rate, n), rate.min(-1)),
                             (*worst_interval(rate, n, False), rate.max(-1)),
                             (*ratio_interval(rate, n), rate.min(-1) / rate.max(-1))]:
        assert low.shape == (50,) and (low <= value + 1e-9).all() and (value <= high + 1e-9).all()


def test_with_a_reference_only_its_pairs_count():
    rate, n = np.array([0.5, 0.1, 0.9]), np.array([400, 400, 400])
    everyone, mine = gap_interval(rate, n), gap_interval(rate, n, reference=0)
    assert everyone[0] > 0.7 and mine[1] < 0.5


def test_looking_at_more_gaps_together_lowers_the_lower_end_alone():
    rate, n = np.array([0.3, 0.6]), np.array([100, 100])
    one, two = gap_interval(rate, n), gap_interval(rate, n, among=2)
    assert two[0] < one[0] and two[1] == one[1]


def test_a_ratio_to_nothing_is_open_above_and_to_itself_covers_one():
    assert quotient(0.5, 20, 0.0, 20)[1] == np.inf
    low, high = quotient(0.4, 200, 0.4, 200)
    assert low < 1 < high
    assert ratio_interval(np.array([0.0, 0.5]), np.array([30, 30]))[0] == 0


@pytest.mark.parametrize("groups, rates", CASES)
@pytest.mark.parametrize("n", [20, 100, 1000])
def test_they_cover_at_least_as_often_as_they_say(groups, rates, n):
    rng, true = np.random.default_rng(1), np.array(rates)
    k = rng.binomial(n, true, size=(1000, groups))
    sizes = np.full(groups, n)
    worst = worst_interval(k / n, sizes)
    for (low, high), value in [(gap_interval(k / n, sizes), np.ptp(true)), (worst, true.min()),
                               (ratio_interval(k / n, sizes), true.min() / true.max())]:
        covered = ((low <= value + 1e-12) & (value <= high + 1e-12)).mean()
        assert covered > 0.93, covered  # 0.95 less three standard errors of 1,000 tables


def test_what_is_said_about_coverage_is_complete():
    assert all(92 < low <= high <= 100 for table in COVERAGE.values() for low, high in table.values())
    assert COVERAGE["gap"].keys() == COVERAGE["worst"].keys()
