from __future__ import annotations

import numpy as np
import pytest

from core.counts import count_thresholds
from core.fronts.cuts import GAPS, lower_is_better, make_aim, make_cuts, rates
from core.types import BadInput


def test_cuts_agree_with_the_counts_of_a_sweep(rng):
    score, y, w = rng.integers(0, 9, 60) / 8, rng.integers(0, 2, 60), rng.integers(1, 4, 60).astype(float)
    cuts = make_cuts(score, y, np.zeros(60, int), 1, w)[0]
    thresholds, counts = count_thresholds(score, y, np.zeros(60, int), 1, w)
    assert cuts.threshold.tolist() == thresholds[::-1].tolist()
    assert cuts.tp.tolist() == counts[::-1, 0, 1, 1].tolist() and cuts.fp.tolist() == counts[::-1, 0, 0, 1].tolist()
    assert (cuts.pos, cuts.neg) == (cuts.tp[-1], cuts.fp[-1])


def test_a_group_without_rows_has_one_cut_and_no_rate():
    cuts = make_cuts(np.array([0.5]), np.array([1]), np.array([0]), 2)[1]
    assert cuts.empty and cuts.threshold.tolist() == [np.inf]
    assert all(rate is None for gap in GAPS for rate in rates(cuts, gap))


def test_rates_by_hand():
    cuts = make_cuts(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 0, 1, 0]), np.zeros(4, int), 1)[0]
    assert rates(cuts, "demographic_parity")[0].tolist() == [0, 0.25, 0.75, 1]
    assert rates(cuts, "accuracy_parity")[0].tolist() == [0.5, 0.75, 0.75, 0.5]
    fpr, tpr = rates(cuts, "equalized_odds")
    assert fpr.tolist() == [0, 0, 0.5, 1] and tpr.tolist() == [0, 0.5, 1, 1]


def test_a_group_without_positives_has_no_true_positive_rate():
    cuts = make_cuts(np.array([0.9]), np.array([0]), np.zeros(1, int), 1)[0]
    assert rates(cuts, "equal_opportunity") == (None,) and rates(cuts, "predictive_equality")[0] is not None


@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy", "expected_cost"])
def test_gains_rise_exactly_with_the_objective(objective, rng):
    cuts = make_cuts(rng.random(40), rng.integers(0, 2, 40), np.zeros(40, int), 1)
    aim = make_aim(cuts, objective, 2.0, 3.0)
    value = aim.value(cuts[0].tp, cuts[0].fp) * (-1 if lower_is_better(objective) else 1)
    gains = aim.gains(cuts[0])
    assert np.corrcoef(gains, value)[0, 1] == pytest.approx(1.0)


def test_what_cannot_be_computed_is_refused():
    only = make_cuts(np.array([0.9, 0.1]), np.array([0, 0]), np.zeros(2, int), 1)
    for objective in ("f1", "balanced_accuracy"):
        with pytest.raises(BadInput, match="without positive rows"):
            make_aim(only, objective)
    for bad in [{"objective": "auc"}, {"objective": "accuracy", "cost_fp": -1}]:
        with pytest.raises(BadInput):
            make_aim(only, **bad)
    with pytest.raises(BadInput, match="at least one row"):
        make_aim([], "accuracy")
    with pytest.raises(BadInput, match="1 missing"):
        make_cuts(np.array([np.nan]), np.array([1]), np.array([0]), 1)
    with pytest.raises(BadInput, match="as many of each"):
        make_cuts(np.array([0.1]), np.array([1, 0]), np.array([0]), 1)
    with pytest.raises(BadInput, match="Gap"):
        rates(only[0], "sex")
