from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.data.load import save_upload
from core.types import Roles


def script(data, label, start, confirmed):
    import streamlit as st

    from pages._ui import held
    from pages._ui.label import target

    st.session_state["out"] = target("k", data, held.table(data).frame, label, start, confirmed=confirmed)


@pytest.fixture
def ask(folder, csv):
    data = save_upload(folder, "applications.csv", csv)

    def run(label, start=None, confirmed=False):
        return AppTest.from_function(script, args=(data, label, start or Roles(label), confirmed),
                                     default_timeout=20).run()

    return run


def test_the_positive_class_of_an_upload_is_never_chosen_for_the_person(ask):
    at = ask("hired", Roles("hired", "yes"))
    assert at.session_state["out"] is None and at.radio[0].value is None
    assert len(at.info) == 1
    at.radio[0].set_value("yes").run()
    assert at.session_state["out"] == Roles("hired", "yes")


def test_a_confirmed_positive_class_is_kept(ask):
    assert ask("hired", Roles("hired", "no"), confirmed=True).session_state["out"] == Roles("hired", "no")


def test_each_class_is_shown_with_its_rows(ask):
    assert all("rows" in option and "%" in option for option in ask("hired").radio[0].options)


def test_a_number_is_cut_in_two_or_predicted_itself(ask):
    at = ask("score")
    out = at.session_state["out"]
    assert out.task == "binary" and out.threshold is not None
    at.number_input[0].set_value(0.5).run()
    assert at.session_state["out"] == Roles("score", "yes", threshold=0.5)
    at.radio[0].set_value("The number itself").run()
    assert at.session_state["out"] == Roles("score", None, task="regression")


def test_a_stored_cut_is_shown_again(ask):
    kept = Roles("hours", "yes", threshold=40.0)
    assert ask("hours", kept, confirmed=True).session_state["out"] == kept


def test_words_with_several_values_are_classes(ask):
    assert ask("person").radio[0].value == "Two classes, cut at a value"
    at = ask("sex")
    assert at.radio[0].options[0].startswith("M")
