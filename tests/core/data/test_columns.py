from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from core.data.columns import check_names, check_size, clean_words, plain_column, type_values, type_words
from core.types import BadInput


def words(*cells) -> pd.Series:
    return type_words(pd.Series(list(cells), dtype="str"))


def test_numbers_with_missing_marks_are_floats_and_whole_ones_are_integers():
    assert words("1", " 2 ", "-3").dtype == "int64"
    assert words("1", "?", "3").isna().tolist() == [False, True, False]
    assert words("1", "1.5", "2e3").tolist() == [1, 1.5, 2000]


def test_long_and_zero_padded_numbers_stay_text_because_they_name_things():
    assert words("9007199254740993", "9007199254740992").tolist() == ["9007199254740993", "9007199254740992"]
    assert words("9007199254740993", "").tolist()[0] == "9007199254740993"
    assert words("01234", "98765").tolist() == ["01234", "98765"]


def test_yes_and_no_of_any_case_are_one_word_each():
    assert words("TRUE", "false", "True").tolist() == [True, False, True]
    mixed = words("TRUE", "true", "", "False")
    assert mixed.tolist()[:2] == ["True", "True"] and mixed.isna().sum() == 1


@pytest.mark.parametrize(
    ("cells", "month"),
    [(("2024-01-31", "2024-02-01"), 1), (("31.01.2024", "01.02.2024"), 1), (("1/31/2024", "2/1/2024"), 1),
     (("2024-01-31T10:00:00Z", "2024-02-01T00:00:00+02:00"), 1)],
)  # fmt: skip
def test_dates_are_read_where_the_order_of_day_and_month_shows(cells, month):
    dates = words(*cells)
    assert pd.api.types.is_datetime64_any_dtype(dates) and dates.dt.tz is None and dates.dt.month[0] == month


@pytest.mark.parametrize("cells", [("01/02/2024", "03/04/2024"), ("31/01/2024", "01/31/2024"), ("2024-13-01", "x")])
def test_dates_that_can_be_read_in_two_ways_stay_text(cells):
    assert words(*cells).tolist() == list(cells)


def test_dates_far_ahead_are_kept():
    assert words("9999-12-31", "2020-01-01").dt.year.tolist() == [9999, 2020]


def test_python_values_become_columns_by_their_kind():
    assert type_values(pd.Series([1, None, 2.5], dtype=object)).dtype == "float64"
    assert type_values(pd.Series([True, False], dtype=object)).dtype == bool
    assert type_values(pd.Series([dt.date(2020, 1, 1), dt.datetime(2021, 1, 1)], dtype=object)).dt.year[1] == 2021
    assert type_values(pd.Series([1, "x", True], dtype=object)).tolist() == ["1", "x", "True"]
    assert type_values(pd.Series([2**60 + 1, None], dtype=object)).tolist()[0] == str(2**60 + 1)


def test_columns_of_other_libraries_become_plain_ones():
    assert plain_column(pd.Series([1.0, np.inf])).isna().tolist() == [False, True]
    assert plain_column(pd.Series(pd.to_timedelta([1, 2], "D"))).tolist() == [86_400, 172_800]
    assert plain_column(pd.Series(pd.date_range("2020", periods=2, tz="Asia/Tokyo"))).dt.tz is None
    assert plain_column(pd.Series(["a", "N/A"], dtype="category")).isna().tolist() == [False, True]


def test_marks_of_missing_values_are_missing_after_trimming():
    assert clean_words(pd.Series([" NA ", "?", "", "null", "None", "nan", "x "])).dropna().tolist() == ["x"]


@pytest.mark.parametrize(
    ("names", "told"),
    [(["a", " "], "no name for column 2"), (["a", "a "], "'a' more than once"), (["x" * 300], "300 characters"),
     (["a", "b", "c"], "3 columns")],
)  # fmt: skip
def test_names_are_given_once_and_short(names, told):
    with pytest.raises(BadInput, match=told):
        check_names(names, 2)


def test_cells_are_limited_too():
    with pytest.raises(BadInput, match="cells"):
        check_size(5_000_000, 1_000, 5_000_000, 2_000)
