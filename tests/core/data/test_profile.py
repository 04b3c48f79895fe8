from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.groups import make_groups, suggest_groups
from core.data.profile import class_columns, class_group_table, column_table, missing_table
from core.data.roles import make_dataset
from core.types import Roles, Table

FRAME = pd.DataFrame({
    "sex": ["woman"] * 4 + ["man"] * 6, "x": [1.0, None, 3.0, None, 5, 6, 7, 8, 9, None],
    "y": ["yes", "no", "no", "no"] + ["yes"] * 3 + ["no"] * 3,
})  # fmt: skip


def made(**roles):
    asked = Roles(**{"label": "y", "positive": "yes", "attributes": ("sex",), **roles})
    data = make_dataset(Table(FRAME), asked, "t", "T")
    return data, make_groups(data, suggest_groups(data))


def test_class_shares_are_within_groups():
    table = class_group_table(*made()).set_index("group")
    assert table.loc["woman", "n"] == 4 and table.loc["woman", "yes"] == 0.25 and table.loc["man", "yes"] == 0.5
    assert table["share"].sum() == pytest.approx(1)


def test_missing_values_are_counted_by_group():
    (row,) = missing_table(*made()).to_dict("records")
    assert row["column"] == "x" and row["missing"] == 3 and row["woman"] == 0.5
    assert row["man"] == pytest.approx(1 / 6)


def test_a_number_to_predict_is_summarised_by_group():
    frame = FRAME.assign(v=np.arange(10.0))
    data = make_dataset(Table(frame), Roles("v", None, ("sex",), task="regression"), "t", "T")
    table = class_group_table(data, make_groups(data, suggest_groups(data))).set_index("group")
    assert table.loc["woman", "mean v"] == 1.5
    assert table.loc["man", "standard deviation"] == pytest.approx(np.std(range(4, 10)))


def test_columns_are_described_in_words():
    table = column_table(FRAME.assign(b=True)).set_index("column")
    assert table["kind"].to_dict() == {"sex": "words", "x": "number", "y": "words", "b": "yes/no"}
    assert table.loc["x", "example"] == "1 to 9" and table.loc["x", "missing"] == pytest.approx(0.3)


def test_classes_called_like_a_column_of_the_table_keep_their_own():
    frame = FRAME.assign(y=FRAME["y"].map({"yes": "y", "no": "n"}))
    data = make_dataset(Table(frame), Roles("y", "y", ("sex",)), "t", "T")
    table = class_group_table(data, make_groups(data, suggest_groups(data))).set_index("group")
    assert class_columns(data) == ("class n", "y")
    assert table.loc["woman", "n"] == 4 and table.loc["woman", "class n"] == 0.75 and table.loc["woman", "y"] == 0.25


def test_dates_are_described_by_their_range():
    dates = pd.DataFrame({"d": pd.to_datetime(["2020-01-02", "2021-03-04"])})
    assert column_table(dates).loc[0, "example"] == "2020-01-02 to 2021-03-04"
