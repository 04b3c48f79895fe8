from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def script(kind):
    import streamlit as st

    from pages._ui import query

    if kind == "choice":
        st.session_state["out"] = query.choice("x", "Axis", ["a", "b", "c"], words=str.upper, default="b")
    elif kind == "segmented":
        st.session_state["out"] = query.choice("x", "Axis", ["a", "b"], words=str.upper, kind="segmented")
    elif kind == "several":
        st.session_state["out"] = query.several("m", "Methods", ["a", "b", "c"])
    elif kind == "flag":
        st.session_state["out"] = query.flag("f", "Intervals", default=True)
    elif kind == "whole":
        st.session_state["out"] = query.whole("n", "Rows", 0, 100, 10)
    else:
        st.session_state["out"] = query.number("t", 0.5, 0.0, 1.0)


def run(kind, **address):
    at = AppTest.from_function(script, args=(kind,), default_timeout=20)
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def test_the_default_is_left_out_of_the_address_and_a_choice_is_written_into_it():
    at = run("choice")
    assert at.session_state["out"] == "b" and "x" not in at.query_params
    at.selectbox[0].set_value("c").run()
    assert at.session_state["out"] == "c" and at.query_params["x"] in ("c", ["c"])
    at.selectbox[0].set_value("b").run()
    assert at.session_state["out"] == "b" and "x" not in at.query_params


def test_a_link_wins_and_an_unknown_value_in_it_is_the_default():
    assert run("choice", x="a").session_state["out"] == "a"
    at = run("choice", x="<script>")
    assert at.session_state["out"] == "b" and "x" not in at.query_params


def test_a_new_link_in_the_same_session_wins_over_what_was_chosen():
    at = run("choice", x="a")
    at.selectbox[0].set_value("c").run()
    at.query_params["x"] = "a"
    assert at.run().session_state["out"] == "a"


def test_a_segmented_choice_always_has_a_value():
    at = run("segmented", x="b")
    assert at.session_state["out"] == "b"
    at.button_group[0].set_value("a").run()
    assert at.session_state["out"] == "a" and "x" not in at.query_params


def test_several_keep_the_order_of_the_options_and_drop_unknown_ones():
    at = run("several", m="c,zzz,a")
    assert at.session_state["out"] == ("a", "c")
    at.multiselect[0].set_value([]).run()
    assert at.session_state["out"] == () and "m" not in at.query_params


def test_a_flag_is_read_and_written():
    at = run("flag", f="0")
    assert at.session_state["out"] is False
    at.toggle[0].set_value(True).run()
    assert at.session_state["out"] is True and "f" not in at.query_params


def test_a_whole_number_is_read_cut_to_its_range_and_written():
    at = run("whole", n="1000")
    assert at.session_state["out"] == 100
    at.number_input[0].set_value(10).run()
    assert at.session_state["out"] == 10 and "n" not in at.query_params
    assert run("whole", n="x").session_state["out"] == 10


@pytest.mark.parametrize(("text", "value"), [("0.25", 0.25), ("7", 1.0), ("-1", 0.0), ("nan", 0.5), ("x", 0.5)])
def test_a_number_of_the_address_stays_in_its_range(text, value):
    assert run("number", t=text).session_state["out"] == value
