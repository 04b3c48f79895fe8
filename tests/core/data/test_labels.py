from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.labels import in_words, is_number, label_values, need_column, numeric_label, sorted_words, word_of
from core.types import BadInput


def test_values_are_counted_in_words_commonest_first():
    assert label_values(pd.DataFrame({"y": [0.0, 1.0, 1.0, None]}), "y") == [("1", 2), ("0", 1)]
    assert label_values(pd.DataFrame({"y": [True, False, True]}), "y") == [("True", 2), ("False", 1)]


def test_codes_follow_words_and_missing_is_minus_one():
    codes, words = in_words(pd.Series([1, 1.0, "1", None, "b"], dtype=object))
    assert words == ["1", "b"] and codes.tolist() == [0, 0, 0, -1, 1]


def test_numbers_are_sorted_by_size_before_words():
    assert sorted_words(["10", "x", "9", "-1"]) == ("-1", "9", "10", "x")
    assert is_number("1e3") and not is_number("nan") and not is_number("one")


def test_whole_floats_read_as_whole_numbers():
    assert [word_of(v) for v in (1.0, np.float32(2), 0.5, "a", False)] == ["1", "2", "0.5", "a", "False"]


def test_a_label_with_many_numbers_is_numeric():
    assert numeric_label(pd.DataFrame({"y": np.arange(30)}), "y")
    assert not numeric_label(pd.DataFrame({"y": np.arange(30) % 3}), "y")


def test_an_unknown_column_is_answered_with_the_known_ones():
    with pytest.raises(BadInput, match="one of a, b"):
        need_column(pd.DataFrame({"a": [1], "b": [2]}), "c", "Label")
