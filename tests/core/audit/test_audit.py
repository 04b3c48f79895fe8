from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from core.audit.audit import audit
from core.audit.prepare import make_predictions
from core.types import AuditSpec


def measured(y, p, g, **spec):
    table = pd.DataFrame({"y": list(y), "p": list(p), "g": list(g)})
    return audit(make_predictions(table, AuditSpec("y", "1", ("p",), attributes=("g",), min_n=0, **spec)), draws=200)


def test_golden_table():
    found = measured("1100" * 3, "111010000000", "aaaabbbbcccc")
    expected = {"demographic_parity.gap": 0.75, "selection_rate.to_overall": 0.4167, "demographic_parity.ratio": 0.0,
                "equal_opportunity.gap": 1.0, "equalized_odds.gap": 1.0, "equalized_odds.mean": 0.75}
    for key, value in expected.items():
        assert found.reductions[key].value.value == pytest.approx(value, abs=1e-4), key
    assert found.overall["tpr"].value == 0.5
    tpr, odds = found.reductions["tpr.gap"].value, found.reductions["equalized_odds.gap"].value
    assert (tpr.low, tpr.high) == pytest.approx((0.0, 1.0)) and tpr.how.startswith("pairs"), "four rows a group"
    assert odds.low == 0 and odds.high == 1 and found.reductions["tpr.worst"].value.high < 0.9
    assert found.groups[0].counts == {"tp": 2, "fp": 1, "fn": 0, "tn": 1}
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False)) == found.to_dict()


def test_no_positives_in_a_group_makes_equalized_odds_not_computable():
    found = measured("11000000", "10000100", "aaaabbbb")
    assert found.reductions["demographic_parity.gap"].value.value == 0
    assert found.reductions["predictive_equality.gap"].value.value == 0.25
    assert found.groups[1].metrics["tpr"].undefined == "0 positives"
    assert "not computable" in found.reductions["equalized_odds.gap"].value.undefined


def test_nobody_selected_has_gap_zero_and_no_ratio():
    found = measured("1100" * 2, "00000000", "aaaabbbb")
    assert found.reductions["demographic_parity.gap"].value.value == 0
    assert found.reductions["demographic_parity.ratio"].value.undefined == "nobody selected"


def test_one_group_has_nothing_to_compare():
    found = measured("1100", "1000", "aaaa")
    assert found.reductions["demographic_parity.gap"].value.undefined == "one group"
    assert found.reductions["equalized_odds.gap"].value.undefined == "one group"


def test_rates_have_wilson_intervals():
    found = measured("1" * 101, "1" * 50 + "0" * 50 + "1", "a" * 100 + "b")
    a, b = (g.metrics["selection_rate"] for g in found.groups)
    assert (a.low, a.high) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert (b.low, b.high) == pytest.approx((0.2065, 1.0), abs=1e-4)


def test_scores_have_their_metrics_and_persons_their_own_intervals():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"y": rng.integers(0, 2, 200), "s": rng.random(200), "g": ["a", "b"] * 100,
                          "who": np.arange(200) // 4})
    found = audit(make_predictions(table, AuditSpec("y", "1", (), ("s",), 0.5, attributes=("g",), person="who")),
                  draws=200)
    assert 0 < found.overall["roc_auc"].low < found.overall["roc_auc"].value < 1
    assert found.groups[0].metrics["tpr"].how == "bootstrap of persons"
