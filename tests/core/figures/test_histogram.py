from __future__ import annotations

import numpy as np
import pytest

from core.figures.histogram import histogram_table, plot_histogram

GIVEN = {"attr_labels": ("women", "men"), "classes": ("no", "yes")}


def test_every_row_falls_into_one_bin_and_shares_sum_to_one_in_each_group(rng):
    score, y, attr = rng.random(500), rng.integers(0, 2, 500), rng.integers(0, 2, 500)
    table = histogram_table(score, y, attr, bins=20, **GIVEN)
    assert table["n"].sum() == 500 and len(table) == 80
    assert table.groupby("group")["share"].sum().tolist() == pytest.approx([1, 1])
    cell = table[(table["group"] == "men") & (table["class"] == "yes")]
    expected = np.histogram(score[(attr == 1) & (y == 1)], 20, (0, 1))[0]
    assert cell["n"].tolist() == expected.tolist()


def test_both_ends_belong_to_a_bin_and_weights_count():
    weight = np.array([1.0, 3.0])
    table = histogram_table(np.array([0.0, 1.0]), np.array([1, 1]), np.array([0, 0]), bins=2, weight=weight, **GIVEN)
    women = table[(table["group"] == "women") & (table["class"] == "yes")]
    assert women["n"].tolist() == [1, 1] and women["share"].tolist() == [0.25, 0.75]


def test_scores_outside_the_unit_range_widen_it_and_missing_ones_are_left_out():
    table = histogram_table(np.array([-1.0, 3.0, np.nan]), np.array([0, 1, 1]), np.array([0, 0, 0]), bins=4, **GIVEN)
    assert table["left"].min() == -1 and table["right"].max() == 3 and table["n"].sum() == 2


def test_a_group_without_scores_is_undefined_and_not_drawn():
    table = histogram_table(np.array([0.2, 0.9]), np.array([0, 1]), np.array([0, 0]), **GIVEN)
    assert table[table["group"] == "men"]["share"].isna().all()
    figure = plot_histogram(table, thresholds={"women": 0.5, "men": 0.5})
    assert len(figure.data) == 2 and figure.layout.annotations[0].text == "women" and len(figure.layout.shapes) == 1


def test_no_scores_says_so():
    table = histogram_table(np.zeros(0), np.zeros(0, int), np.zeros(0, int), **GIVEN)
    assert plot_histogram(table).layout.annotations[0].text == "No scores"
