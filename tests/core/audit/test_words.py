from __future__ import annotations

import pandas as pd

from core.audit.words import find_word, in_words


def test_equal_words_share_a_code_and_blanks_are_missing():
    codes, words = in_words(pd.Series([1, 1.0, "1", " ", None], dtype=object))
    assert words == ["1"] and codes.tolist() == [0, 0, 0, -1, -1]


def test_the_positive_word_is_found_however_it_is_written():
    assert find_word("1.0", ["0", "1"]) == "1" and find_word("TRUE", ["False", "True"]) == "True"
    assert find_word("maybe", ["no", "yes"]) is None
