from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from core.figures.matching import balance_table, plot_balance


def found(**more):
    table = {"feature": ["x", "job", "same", "propensity"], "value": ["", "clerk", "", ""],
             "before": [0.2, -0.5, np.nan, 0.9], "after": [0.01, -0.02, np.nan, 0.05]}
    return SimpleNamespace(balance=pd.DataFrame(table | more))


def test_the_columns_furthest_apart_come_first_and_what_does_not_vary_is_left_out():
    table = balance_table(found())
    assert list(dict.fromkeys(table["label"])) == ["propensity", "job: clerk", "x"]
    assert table["value"].tolist() == [0.9, 0.05, -0.5, -0.02, 0.2, 0.01]
    assert table["text"][2] == "before: -0.50 standard deviations" and len(balance_table(found(), most=1)) == 2


def test_without_pairs_only_what_was_before_is_drawn():
    table = balance_table(found(after=[np.nan] * 4))
    assert table["text"][1] == "in pairs: undefined, no pairs"
    drawn = plot_balance(table).data
    assert set(drawn.loc[drawn["kind"] == "point", "when"]) == {"before"}


def test_the_bounds_are_a_tenth_on_either_side_and_inside_the_axis():
    chart = plot_balance(balance_table(found(before=[0.01, 0.02, 0.0, 0.03])))
    assert chart.data.loc[chart.data["kind"] == "bound", "value"].tolist() == [-0.1, 0.1]
    low, high = chart.to_dict()["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert low == -high and high >= 0.2


def test_no_features_is_said():
    assert "message" in plot_balance(balance_table(SimpleNamespace(balance=found().balance.head(0)))).data
