from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.prepare import make_predictions
from core.audit.strata import cross, largest_gap, outcome_of, outcomes_of, stratify
from core.types import AuditSpec, BadInput


def test_numbers_are_cut_into_parts_of_about_equal_size():
    found = stratify("age", pd.Series(np.arange(100.0)), 4)
    assert np.bincount(found.code).tolist() == [25, 25, 25, 25]
    assert found.labels == ("under 25", "25 to under 50", "50 to under 75", "75 or more")


def test_few_numbers_keep_their_values_in_order_and_missing_is_a_part():
    found = stratify("rooms", pd.Series([3, 1, None, 2, 1]))
    assert found.labels == ("1", "2", "3", "missing") and found.code.tolist() == [2, 0, 3, 1, 0]


def test_endless_numbers_lie_at_the_ends():
    found = stratify("x", pd.Series([*np.arange(20.0), np.inf, -np.inf, np.nan]), 2)
    assert found.code.tolist()[-3:] == [1, 0, 2]


def test_a_value_that_most_share_is_a_part_and_the_rest_is_halved():
    found = stratify("gain", pd.Series([0.0] * 90 + [float(k) for k in range(1, 11)]))
    assert found.labels == ("under 1", "1 to under 6", "6 or more") and np.bincount(found.code).tolist() == [90, 5, 5]


def test_dates_are_cut_and_shown_as_days():
    found = stratify("when", pd.Series(pd.date_range("2020-01-01", periods=20)), 2)
    assert found.labels == ("before 2020-01-11", "from 2020-01-11") and found.code.sum() == 10


def test_rare_words_are_merged_and_all_rare_is_refused():
    found = stratify("town", pd.Series(["a"] * 20 + ["b"] * 12 + ["c"] * 3 + ["d"] * 2))
    assert found.labels == ("a", "b", "other (merged)") and np.bincount(found.code).tolist() == [20, 12, 5]
    with pytest.raises(BadInput, match="values that repeat"):
        stratify("name", pd.Series([f"n{k}" for k in range(50)]))
    with pytest.raises(BadInput, match="one value"):
        stratify("same", pd.Series(["x"] * 50))


def test_crossing_names_both_parts_and_merges_what_is_rare():
    one = stratify("a", pd.Series(["x"] * 30 + ["y"] * 30))
    other = stratify("b", pd.Series(["p"] * 25 + ["q"] * 35))
    found = cross(one, other)
    assert found.names == ("a", "b") and found.labels == ("x, p", "y, q", "other (merged)")
    assert np.bincount(found.code).tolist() == [25, 30, 5]


def rows(label=True, pred="1100110000"):
    frame = pd.DataFrame({"y": list("1010101010"), "p": list(pred), "g": list("aaaabbbbcc")})
    return make_predictions(frame, AuditSpec("y" if label else "", "1", ("p",), attributes=("g",), min_n=3))


def test_outcomes_are_counted_of_those_they_speak_of():
    tpr = outcome_of(rows(), 0, "tpr")
    assert tpr.here.tolist() == [True, False] * 5 and np.nansum(tpr.value) == 2 and np.isnan(tpr.value[1])
    assert outcome_of(rows(), 0, "error").value.tolist() == [0, 1, 1, 0, 0, 1, 1, 0, 1, 0]
    assert outcomes_of(rows(label=False)) == ("selection",)
    with pytest.raises(BadInput, match="Outcome"):
        outcome_of(rows(label=False), 0, "error")


def test_the_largest_gap_is_looked_for_among_groups_with_enough_rows():
    low, high, among = largest_gap(rows(pred="1110100011"), outcome_of(rows(pred="1110100011")))
    found = rows(pred="1110100011").groups.labels
    assert (found[low], found[high], among) == ("b", "a", 1), "c is selected always but has two rows"
    with pytest.raises(BadInput, match="two groups"):
        one = make_predictions(pd.DataFrame({"p": list("1100"), "g": list("aaaa")}),
                               AuditSpec("", "1", ("p",), attributes=("g",)))
        largest_gap(one, outcome_of(one))
