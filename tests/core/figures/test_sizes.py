from __future__ import annotations

import pandas as pd
import pytest

from core.figures.sizes import plot_sizes


@pytest.fixture
def table():
    return pd.DataFrame({"group": ["women", "women", "men", "men"], "class": ["no", "yes"] * 2, "n": [80, 20, 3, 0],
                         "share": [0.78, 0.19, 0.03, 0.0], "n_test": [20, 5, 1, 0],
                         "warning": ["", "5 test rows", "1 test row", "no test rows"]})


def rows(chart):
    return pd.DataFrame(next(iter(chart.to_dict()["datasets"].values())))


def test_bars_show_rows_and_shares_within_each_group(table):
    data = rows(plot_sizes(table))
    assert data["rows"].tolist() == [80, 20, 3, 0]
    assert data["share_text"].tolist() == ["80.0 % of the group", "20.0 % of the group", "100.0 % of the group",
                                           "0.0 % of the group"]
    assert data["flag"].tolist() == ["5 test rows"] * 2 + ["1 test row; no test rows"] * 2


def test_another_count_and_a_table_before_the_split(table):
    spec = plot_sizes(table, column="n_test").to_dict()
    assert spec["layer"][0]["encoding"]["x"]["title"] == "Test rows"
    assert rows(plot_sizes(table.drop(columns=["warning", "n_test"])))["flag"].tolist() == [""] * 4


def test_shares_make_all_bars_equally_long(table):
    spec = plot_sizes(table, shares=True).to_dict()
    assert spec["layer"][0]["encoding"]["x"]["stack"] == "normalize"


def test_a_class_keeps_its_colour(table):
    domains = [plot_sizes(t, class_order=("no", "yes")).to_dict()["layer"][0]["encoding"]["color"]["scale"]
               for t in (table, table[table["class"] == "yes"])]
    assert domains[0]["range"][1] == domains[1]["range"][0]


def test_a_group_without_rows_has_no_share(table):
    data = rows(plot_sizes(table.assign(n=[0, 0, 3, 0])))
    assert data["share_text"].iloc[0] == "undefined, 0 rows"
    assert "No rows" in str(plot_sizes(table.iloc[:0]).to_dict())
