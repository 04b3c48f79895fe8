from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.metrics.reduce import REDUCTIONS, extremes, power_mean, reduce
from core.types import BadInput

NAN = float("nan")


def one(values, how, higher=True, **extra):
    return float(reduce(np.array(values), how, higher, **extra))


def test_values_by_hand():
    values = [0.75, 0.25, 0.0]
    assert one(values, "gap") == 0.75
    assert one(values, "ratio") == 0.0
    assert one(values, "worst") == 0.0 and one(values, "worst", False) == 0.75
    assert one(values, "mean") == pytest.approx(1 / 3)
    assert one(values, "to_overall", overall=np.array(1 / 3)) == pytest.approx(0.41666667)
    assert one(values, "to_reference", reference=1) == 0.5


@pytest.mark.parametrize("how", REDUCTIONS)
def test_undefined_groups_are_left_out_without_a_warning(how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        full = one([0.5, 0.2], how, overall=np.array(0.3))
        assert one([0.5, NAN, 0.2], how, overall=np.array(0.3)) == full
        assert np.isnan(one([NAN, NAN], how, overall=np.array(NAN)))


@pytest.mark.parametrize("how", ["gap", "ratio", "to_overall", "to_reference"])
def test_one_group_is_nothing_to_compare(how):
    assert np.isnan(one([0.4], how, overall=np.array(0.4)))
    assert np.isnan(one([0.4, NAN], how, overall=np.array(0.4)))


def test_nobody_selected_has_no_gap_and_an_undefined_ratio():
    assert one([0.0, 0.0], "gap") == 0.0
    assert np.isnan(one([0.0, 0.0], "ratio"))


def test_a_metric_without_direction_has_no_worst():
    with pytest.raises(BadInput, match="use the gap"):
        one([0.1, 0.2], "worst", None)
    with pytest.raises(BadInput, match="Reduction"):
        one([0.1, 0.2], "median")
    with pytest.raises(BadInput, match="overall"):
        one([0.1, 0.2], "to_overall")


@given(st.lists(st.one_of(st.floats(0, 1), st.just(NAN)), min_size=1, max_size=6))
def test_reductions_stay_ordered(values):
    values = np.array(values)
    low, high = reduce(values, "worst", True), reduce(values, "worst", False)
    gap, ratio = reduce(values, "gap", True), reduce(values, "ratio", True)
    if np.isfinite(gap):
        assert gap == high - low
        assert low <= reduce(values, "mean", True) + 1e-12 and reduce(values, "mean", True) <= high + 1e-12
    assert not ratio < 0 and not ratio > 1


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_many_models_at_once_equal_one_by_one(values):
    stack = np.array([values, values[::-1]])
    for how in ("gap", "worst", "mean"):
        assert np.allclose(reduce(stack, how, True), [one(v, how) for v in stack], equal_nan=True)


def test_extremes_name_the_groups_that_a_value_speaks_of():
    values = np.array([0.5, NAN, 0.2, 0.9])
    assert extremes(values, "worst", True) == (2,)
    assert extremes(values, "worst", False) == (3,)
    assert extremes(values, "gap", True) == (2, 3)
    assert extremes(values, "to_reference", True, reference=0) == (3,)
    assert extremes(np.array([0.5, NAN]), "gap", True) == ()
    assert extremes(values, "mean", True) == ()


def test_power_mean_leans_towards_the_worst_group():
    values = np.array([0.9, 0.8, 0.5, np.nan])
    by_hand = np.mean(values[:3] ** -5.0) ** (-1 / 5)
    assert reduce(values, "power_mean", True) == pytest.approx(by_hand)
    assert reduce(values, "power_mean", False) == pytest.approx(np.mean(values[:3] ** 5.0) ** 0.2)
    assert power_mean(np.array([0.4, 0.4])) == pytest.approx(0.4)
    assert power_mean(np.array([[0.0, 0.9], [0.0, 0.0]])).tolist() == [0.0, 0.0]
    assert power_mean(np.array([1e-200, 1e-200])) == pytest.approx(1e-200)
    assert np.isnan(power_mean(np.array([[np.nan, np.nan], [-0.1, 0.5]]))).all()


def test_distances_to_everyone_are_summed_and_deviation_is_from_the_mean_of_groups():
    values = np.array([0.1, 0.4, np.nan, 0.7])
    assert reduce(values, "sum_to_overall", False, overall=np.array(0.3)) == pytest.approx(0.2 + 0.1 + 0.4)
    assert reduce(values, "to_mean", False) == pytest.approx(0.3)
    assert np.isnan(reduce(np.array([0.1, np.nan]), "to_mean", False))
    assert extremes(np.array([0.1, 0.2, 0.9]), "to_mean", True) == (2,)
    assert extremes(values, "sum_to_overall", True, overall=0.3) == ()
