from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def script(kind, value):
    import streamlit as st

    from core.types import Param
    from pages._ui import param

    params = {
        "lr": Param("lr", 0.001, 1e-5, 1.0, log=True, title="Learning rate", help="Size of a step."),
        "hidden": Param("hidden", 64, 2, 1024, title="Hidden units"),
        "how": Param("how", "a", choices=("a", "b", "c"), title="How"),
        "flag": Param("flag", False, title="Adjusted form"),
        "words": Param("words", "x", title="Words"),
    }
    what, name = kind.split(":")
    st.session_state["out"] = getattr(param, what)(params[name], f"k-{name}", value)


def run(kind, value=None):
    return AppTest.from_function(script, args=(kind, value), default_timeout=20).run()


@pytest.mark.parametrize(("name", "default", "other"), [
    ("lr", 0.001, 0.1), ("hidden", 64, 8), ("how", "a", "c"), ("flag", False, True), ("words", "x", "y")])
def test_one_value_starts_at_the_default_or_at_the_value_given(name, default, other):
    assert run(f"widget:{name}").session_state["out"] == default
    assert run(f"widget:{name}", other).session_state["out"] == other


def test_a_value_that_is_not_allowed_starts_at_the_default():
    assert run("widget:hidden", 10**9).session_state["out"] == 64


def test_a_setting_says_what_it_does():
    at = run("widget:lr")
    assert at.number_input[0].label == "Learning rate" and at.number_input[0].help == "Size of a step\\."


def test_a_sweep_of_one_value():
    at = run("sweep:lr")
    assert at.session_state["out"] == (0.001,)
    at.number_input[0].set_value(0.01).run()
    assert at.session_state["out"] == (0.01,)


def test_a_list_is_read_without_doubles_and_in_the_settings_type():
    at = run("sweep:hidden", (4, 8))
    assert at.session_state["out"] == (4, 8)
    at.text_input[0].set_value("16; 32 16,64").run()
    assert at.session_state["out"] == (16, 32, 64)
    assert all(type(v) is int for v in at.session_state["out"])


@pytest.mark.parametrize("typed", ["abc", "1e999", "nan", "0.1, -5", "", ",".join(map(str, range(1, 200)))])
def test_a_bad_list_gives_nothing_and_one_sentence_and_keeps_what_was_typed(typed):
    at = run("sweep:lr", (0.1, 0.2))
    at.text_input[0].set_value(typed).run()
    assert at.session_state["out"] == ()
    assert len(at.error) == 1 and not at.exception
    assert at.text_input[0].value == typed


def test_a_range_is_spaced_by_factors_where_the_setting_is_logarithmic():
    at = run("sweep:lr", (0.001,))
    at.button_group[0].set_value("range").run()
    low, high, points = at.number_input
    low.set_value(0.0001)
    high.set_value(0.01)
    points.set_value(3)
    at.run()
    assert at.session_state["out"] == pytest.approx((0.0001, 0.001, 0.01))
    assert "tries" in at.caption[0].value


def test_a_range_upside_down_is_refused():
    at = run("sweep:lr", (0.001,))
    at.button_group[0].set_value("range").run()
    at.number_input[0].set_value(0.1)
    at.number_input[1].set_value(0.01).run()
    assert at.session_state["out"] == () and "swap" in at.error[0].value


def test_choices_and_switches_are_swept_by_picking_several():
    at = run("sweep:how", ("a", "b"))
    assert at.session_state["out"] == ("a", "b")
    at.button_group[0].set_value([]).run()
    assert at.session_state["out"] == () and len(at.error) == 1
    assert run("sweep:flag", (False, True)).session_state["out"] == (False, True)
