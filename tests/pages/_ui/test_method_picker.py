from __future__ import annotations

import pytest
from filled import bare
from streamlit.testing.v1 import AppTest

from core import registry
from core.types import MethodSpec
from pages._ui.method_picker import values_in_words


def script(start):
    import streamlit as st
    from toys import make_task

    from pages._ui import method_picker

    st.session_state["out"] = method_picker.choose("k", make_task(), start)


def run(start=()):
    at = AppTest.from_function(script, args=(start,), default_timeout=30).run()
    assert not at.exception
    return at


def labels(at):
    return [bare(e.label) for e in at.expander]


START = (MethodSpec("group_dro", {"eta": (0.01, 0.1)}),)


def test_it_begins_with_the_first_look_or_with_what_is_given():
    assert {"erm", "group_dro"} <= {spec.name for spec in run().session_state["out"]}
    assert run(START).session_state["out"] == START


def test_a_closed_box_says_what_differs_from_the_defaults():
    assert labels(run(START)) == ["Group DRO · Step of the group weights 0.01, 0.1"]
    assert labels(run((MethodSpec("erm"),))) == ["ERM (plain training)"]


def test_the_list_is_narrowed_and_what_is_chosen_stays():
    at = run(START)
    everything = len(at.multiselect[0].options)
    at.selectbox(key="k:family").set_value("margin").run()
    shown = {bare(o).split(" · ")[1] for o in at.multiselect[0].options}
    assert not at.exception and shown == {"Margins and losses", "Worst-group training"}
    assert len(at.multiselect[0].options) < everything and at.session_state["out"] == START
    assert any("methods are in the list" in c.value for c in at.caption)


def opened(at, name):
    at.session_state[f"k:1:{name}:box"] = True
    at.run()
    assert not at.exception
    return at


def test_an_open_box_explains_the_method_and_its_settings_can_be_changed():
    at = opened(run(START), "group_dro")
    text = bare(" ".join(str(m.value) for m in at.markdown))
    assert "Needs: the group of every training row" in text and "Known failures:" in text and "Source:" in text
    assert at.code[0].value == registry.method("group_dro").equation
    at.text_input[0].set_value("0.2, 0.3").run()
    (spec,) = at.session_state["out"]
    assert spec.settings["eta"] == (0.2, 0.3) and "0.2, 0.3" in labels(at)[0]
    assert len(at.text_input) == 1, "the box was closed by the change"


def test_a_refused_value_holds_everything_back_and_is_seen_on_the_closed_box():
    at = opened(run(START), "group_dro")
    at.text_input[0].set_value("0.2, x").run()
    assert at.session_state["out"] is None and len(at.error) == 1
    assert "a setting needs another look" in labels(at)[0]


@pytest.mark.parametrize(("settings", "words"), [
    ({}, ""), ({"eta": (0.01,)}, ""), ({"eta": (0.5,)}, "Step of the group weights 0.5"),
    ({"eta": (0.1, 0.5), "adjustment": (2.0,)}, "Step of the group weights 0.1, 0.5; Size adjustment 2")])
def test_only_what_is_not_the_default_is_told(settings, words):
    assert values_in_words(registry.method("group_dro"), MethodSpec("group_dro", settings)) == words
