from __future__ import annotations

import pandas as pd
from streamlit.testing.v1 import AppTest

from pages._ui import picked

TABLE = pd.DataFrame({"id": ["a", "b"], "run_keys": [("k0", "k1"), ("k2",)]})


def script():
    import pandas as pd
    import streamlit as st

    from pages._ui import picked, query

    table = pd.DataFrame({"id": ["a", "b"], "run_keys": [("k0", "k1"), ("k2",)]})
    picked.read({"test": table})
    st.session_state["out"] = query.held("run", None, "")
    st.session_state["shown"] = picked.shown(table)


def click(at, *idents):
    at.session_state[picked.key("test")] = {"selection": {"pick": [{"id": i} for i in idents]}}
    return at.run()


def test_a_click_becomes_the_run_of_the_view_and_a_click_beside_clears_it():
    at = AppTest.from_function(script, default_timeout=20).run()
    assert at.session_state["out"] == ""
    assert click(at, "b").session_state["out"] == "k2" and at.session_state["shown"] == ["b"]
    assert click(at, "a").session_state["out"] == "k0"
    assert click(at).session_state["out"] == "" and at.session_state["shown"] == []


def test_a_click_counts_once_so_that_the_list_below_can_choose_another():
    at = click(AppTest.from_function(script, default_timeout=20).run(), "b")
    at.session_state["held:run"] = "k0"
    assert at.run().session_state["out"] == "k0"


def test_the_first_run_of_a_setting_stands_for_it():
    assert picked.first_run(TABLE, "a") == "k0" and picked.first_run(TABLE, "zzz") == ""
