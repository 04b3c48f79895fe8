from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.types import AttributeSpec, BadInput
from pages._ui.binning import read_edges


def script(values, start):
    import pandas as pd
    import streamlit as st

    from pages._ui import binning

    st.session_state["out"] = binning.form("k", pd.Series(values), start)


def ask(values, start):
    return AppTest.from_function(script, args=(values, start), default_timeout=20).run()


AGES = [float(a) for a in range(18, 80)]


def test_cuts_are_sorted_and_without_doubles():
    assert read_edges("45; 25 45", "age", 17, 90) == (25.0, 45.0)


@pytest.mark.parametrize("typed", ["", "forty", "17", "91", "nan", "inf", "25, x"])
def test_cuts_that_make_no_band_are_refused_with_the_range(typed):
    with pytest.raises(BadInput, match="numbers above 17 and up to 90"):
        read_edges(typed, "age", 17, 90)


def test_a_number_can_be_left_alone_cut_in_parts_or_cut_at_values():
    at = ask(AGES, AttributeSpec("age", edges=(40.0,)))
    assert at.session_state["out"] == AttributeSpec("age", edges=(40.0,))
    at.text_input[0].set_value("30, 50").run()
    assert at.session_state["out"].edges == (30.0, 50.0)
    at.button_group[0].set_value("quantiles").run()
    assert at.session_state["out"] == AttributeSpec("age", quantiles=4)
    at.button_group[0].set_value("none").run()
    assert at.session_state["out"] == AttributeSpec("age")


def test_a_bad_cut_is_refused_in_one_sentence_and_stays_in_the_field():
    at = ask(AGES, AttributeSpec("age", edges=(40.0,)))
    at.text_input[0].set_value("forty").run()
    assert at.session_state["out"] is None and len(at.error) == 1 and not at.exception
    assert at.text_input[0].value == "forty"


def test_words_are_not_cut_and_keep_their_names():
    start = AttributeSpec("sex", words={"1": "women", "gone": "kept"})
    assert ask(["1", "2", None, "1"], start).session_state["out"] == start
    assert not ask(["a", "b"], AttributeSpec("sex")).button_group
