from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_the_box_says_what_is_missing_and_its_button_mends_it():
    def script():
        import streamlit as st

        from pages._ui.empty import empty

        empty("Nothing yet", "Do this.", "Mend", lambda: st.session_state.update(mended=True))

    at = AppTest.from_function(script, default_timeout=20).run()
    assert at.subheader[0].value == "Nothing yet" and "mended" not in at.session_state
    at.button[0].click().run()
    assert at.session_state["mended"] is True


def test_a_study_that_is_gone_is_closed_by_one_click(app):
    at = app("data", study="gone")
    at.button(key="empty:gone").click().run()
    assert not at.exception and "open_study" not in at.session_state
    assert at.title[0].value == "What does fairness cost, and who pays?"
