from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.figures.by_group import by_group_table, extremes_in_words, metric_names
from core.inference import wilson
from core.types import History, RunRecord

CLASSES, LABELS = ("no", "yes"), ("women", "men")


def history(counts):
    """One evaluation of R runs from counts (R, A, C, C) on test rows."""
    counts = np.asarray(counts, dtype=float)
    each = np.broadcast_to(counts, (1, 3, *counts.shape)).copy()
    n = np.broadcast_to(counts[0].sum(-1).T, (3, 2, 2)).copy()
    return History(np.array([10]), each, np.full((1, 3, len(counts), 2, 2), 0.5), np.full(len(counts), 2, np.int8),
                   np.full(len(counts), -1), n, n)


def runs(n):
    return [RunRecord(f"k{i}", "s", "j", "c", i, "erm", {"lr": 0.1}, i, "mlp", "finished") for i in range(n)]


ONE = [[[6, 2], [1, 3]], [[20, 0], [0, 0]]]


def table(counts, **more):
    return by_group_table(runs(len(counts)), {"c": history(counts)}, metrics=("accuracy", "tpr"), classes=CLASSES,
                          attr_labels=LABELS, **more).set_index("group")


def test_rates_of_groups_are_shares_of_their_rows_with_wilson_intervals():
    found = table([ONE])
    assert found.loc["women", "accuracy"] == pytest.approx(9 / 12) and found.loc["women", "n"] == 12
    low, high = wilson(9, 12)
    assert found.loc["women", "accuracy_low"] == pytest.approx(low)
    assert found.loc["women", "accuracy_high"] == pytest.approx(high)
    assert found.loc["everyone", "accuracy"] == pytest.approx(29 / 32)
    assert found.loc["gap", "accuracy"] == pytest.approx(1 - 9 / 12)


def test_a_rate_over_nobody_is_undefined_with_its_reason():
    found = table([ONE])
    assert np.isnan(found.loc["men", "tpr"]) and found.loc["men", "tpr_undefined"] == "0 positives"
    assert np.isnan(found.loc["gap", "tpr"]) and found.loc["gap", "tpr_undefined"]


def test_seeds_are_averaged_and_diverged_ones_left_out():
    other = [[[8, 0], [1, 3]], [[18, 2], [0, 0]]]
    assert table([ONE, other]).loc["women", "accuracy"] == pytest.approx(10 / 12)
    assert table([ONE, np.full((2, 2, 2), np.nan)]).loc["women", "accuracy"] == pytest.approx(9 / 12)


def test_groups_may_be_classes_within_groups():
    found = table([ONE], by="subgroup")
    assert found.loc["yes, women", "accuracy"] == pytest.approx(3 / 4) and found.loc["yes, women", "n"] == 4
    assert list(found.index[:4]) == ["no, women", "no, men", "yes, women", "yes, men"]


def test_uneven_weights_leave_fewer_effective_rows_than_the_cells_together():
    even = history([ONE])
    uneven = replace(even, n_effective=even.n / 4)
    found = by_group_table(runs(1), {"c": uneven}, metrics=("accuracy",), classes=CLASSES, attr_labels=LABELS)
    low, high = wilson(9 / 4, 12 / 4)
    assert found["accuracy_low"][0] == pytest.approx(low) and found["accuracy_high"][0] == pytest.approx(high)


def test_nothing_measured_is_an_empty_table():
    assert table([np.full((2, 2, 2), np.nan)]).empty
    assert metric_names(2)[0] == "accuracy" and metric_names(3) == ("accuracy",)


def words(measure, counts=ONE, **more):
    return extremes_in_words(runs(1), {"c": history([counts])}, measure, classes=CLASSES, attr_labels=LABELS, **more)


def test_a_measure_over_groups_names_whom_it_speaks_of_with_their_rows():
    assert words("accuracy.worst@subgroup") == "worst: no, women (8 rows)"  # 6 of 8; yes, women: 3 of 4
    assert words("accuracy.worst@subgroup", [[[8, 0], [3, 1]], [[20, 0], [0, 0]]]) == "worst: yes, women (4 rows)"
    assert words("accuracy.worst@subgroup", [[[8, 0], [3, 1]], [[19, 1], [0, 0]]], min_n=10) == \
        "worst: no, men (20 rows)"
    assert words("selection_rate.gap@attr") in ("between men (20 rows) and women (12 rows)",
                                                "between women (12 rows) and men (20 rows)")


def test_a_measure_over_everyone_or_over_nothing_names_nobody():
    assert words("accuracy") == "" and words("tpr.gap@attr") == ""
    assert words("accuracy.worst@subgroup", np.full((2, 2, 2), np.nan)) == ""
