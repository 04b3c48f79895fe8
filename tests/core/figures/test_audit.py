"""Figures of an audit draw what the numbers say, and say what they do not draw."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from core.figures.audit import (
    group_rates,
    plot_differences,
    plot_map,
    plot_rates,
    plot_reliability,
    plot_shrunken,
    said,
)
from core.types import Value


def group(label, value, n=100, small=False, undefined=None, **parts):
    ends = (np.nan, np.nan) if undefined else (value - 0.1, value + 0.1)
    return SimpleNamespace(label=label, n=n, small=small, parts=parts,
                           metrics={"tpr": Value(value, *ends, n, undefined)})


AUDIT = SimpleNamespace(groups=(
    group("women, 45+", 0.6, 40, sex="women", age="45+"), group("men, 45+", 0.8, 300, sex="men", age="45+"),
    group("women, under 45", np.nan, 4, True, "0 positives", sex="women", age="under 45"),
    group("men, under 45", 0.7, 8, True, sex="men", age="under 45")))


def rows(chart):
    spec = chart.to_dict()
    return pd.DataFrame(next(iter(spec["datasets"].values())))


def test_the_table_has_every_group_with_its_reason_and_words():
    table = group_rates(AUDIT, "tpr").set_index("group")
    assert table.loc["women, 45+", "text"] == "60.0 % (50.0 to 70.0), 40 rows"
    assert table.loc["women, under 45", "text"] == "undefined, 0 positives, 4 rows"
    assert table["part:sex"].tolist() == ["women", "men", "women", "men"]
    assert group_rates(AUDIT, "roc_auc").empty


def test_one_row_is_singular_and_an_open_interval_is_left_out():
    assert said(0.5, np.nan, np.nan, None, 1) == "50.0 %, 1 row"


def test_small_groups_are_hollow_undefined_ones_are_not_drawn_and_everyone_is_a_line():
    data = rows(plot_rates(group_rates(AUDIT, "tpr"), title="True positive rate (better →)", overall=0.75))
    drawn = data[data["kind"] == "group"].set_index("group")
    assert list(drawn.index) == ["women, 45+", "men, 45+", "men, under 45"]
    assert drawn["filled"].tolist() == [True, True, False]
    assert data.loc[data["kind"] == "everyone", "value"].tolist() == [0.75]


def test_the_map_has_a_cell_for_each_intersection_and_words_for_what_is_undefined():
    data = rows(plot_map(group_rates(AUDIT, "tpr"), rows="sex", columns="age", title="True positive rate"))
    assert len(data) == 4
    assert data.set_index("group")["label"].to_dict()["women, under 45"] == "undefined"
    assert data.set_index("group")["label"].to_dict()["men, 45+"] == "80.0 %"


def test_the_map_needs_two_attributes():
    text = str(plot_map(group_rates(AUDIT, "tpr"), rows="sex", columns="place", title="x").to_dict())
    assert "No intersection to draw" in text


def test_differences_are_centred_on_zero_and_filled_where_they_leave_it_out():
    table = pd.DataFrame({"label": ["a", "b"], "value": [0.2, -0.01], "low": [0.1, -0.05], "high": [0.3, 0.03],
                          "text": ["x", "y"], "clear": [True, False]})
    spec = plot_differences(table, title="Difference").to_dict()
    domain = next(layer["encoding"]["x"]["scale"]["domain"] for layer in spec["layer"]
                  if "scale" in layer["encoding"].get("x", {}))
    assert domain[0] == -domain[1] and domain[1] == pytest.approx(0.33)
    assert rows(plot_differences(table, title="Difference"))["clear"].tolist() == [True, False]


def test_shrunken_rates_have_the_raw_ones_beside_them_and_the_common_one_dashed():
    table = pd.DataFrame({"group": ["a", "b", "c"], "raw": [0.0, 1.0, np.nan], "value": [0.2, 0.7, np.nan],
                          "low": [0.1, 0.5, np.nan], "high": [0.3, 0.8, np.nan], "text": ["x", "y", "z"]})
    data = rows(plot_shrunken(table, title="Rate", common=0.5))
    assert data["group"].tolist() == ["a", "b"] and set(data["common"]) == {0.5}
    layers = plot_shrunken(table, title="Rate", common=0.5).to_dict()["layer"]
    assert sum(layer["encoding"].get("x", {}).get("field") == "common" for layer in layers) == 1
    assert len(plot_shrunken(table, title="Rate").to_dict()["layer"]) == len(layers) - 1


def test_reliability_has_the_diagonal_and_every_bin():
    table = pd.DataFrame({"group": ["a", "a", "b"], "predicted": [0.1, 0.9, 0.5], "observed": [0.2, 0.8, np.nan],
                          "low": 0.0, "high": 1.0, "n": 10})
    data = rows(plot_reliability(table, group_order=["a", "b"]))
    assert (data["kind"] == "diagonal").sum() == 2 and (data["kind"] == "bin").sum() == 2


@pytest.mark.parametrize("plot", [
    lambda t: plot_rates(t, title="x"), lambda t: plot_differences(t, title="x"), plot_reliability,
    lambda t: plot_shrunken(t, title="x"),
    lambda t: plot_map(t, rows="a", columns="b", title="x")])
def test_nothing_to_draw_is_said(plot):
    empty = pd.DataFrame({name: [] for name in ("value", "predicted", "observed", "label")})
    assert "message" in str(plot(empty).to_dict())
