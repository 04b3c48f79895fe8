from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages._ui import nav


def test_all_screens_are_listed_and_start_comes_first():
    def script():
        import streamlit as st

        from pages._ui import nav

        st.session_state["listed"] = [(p.title, p.url_path) for p in nav.pages()]

    listed = AppTest.from_function(script, default_timeout=20).run().session_state["listed"]
    assert listed[0] == ("Start", "")
    assert [title for title, _ in listed] == list(nav.SCREENS.values())
    assert [path for _, path in listed[1:]] == list(nav.SCREENS)[1:]


def test_leaving_keeps_the_open_study_in_the_address(app):
    at = app("data", study="abc")
    assert "abc" in at.query_params["study"]
    at.switch_page("../groups.py").run()
    assert "abc" in at.query_params["study"]


def test_a_link_carries_the_open_study():
    def script():
        import streamlit as st

        from pages._ui import nav

        st.session_state["open_study"] = "abc"
        st.navigation([*nav.pages()], position="hidden")
        nav.link("data", "Data", run="r1")

    at = AppTest.from_function(script, default_timeout=20).run()
    assert not at.exception
    assert "study=abc" in at.get("page_link")[0].proto.query_string
