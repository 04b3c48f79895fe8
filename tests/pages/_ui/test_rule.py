from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._ui import rule


@pytest.mark.parametrize(("text", "values"), [
    ("0.5", [0.5, 0.5]), ("0.4,inf", [0.4, np.inf]), ("", None), ("0.4,x", None), ("1,2,3", None), ("nan,1", None)])
def test_thresholds_of_an_address_are_one_or_one_a_group(text, values):
    found = rule.parse(text, 2)
    assert found is None if values is None else found.tolist() == values


def script():
    import numpy as np
    import streamlit as st

    from core.types import Scores
    from pages._ui import rule

    n = 4
    scores = Scores(np.full((1, n), 0.5), np.array([[0.5, 0.5]]), np.zeros(n, int), np.zeros(n, int), np.ones(n),
                    np.arange(n))
    if st.button("find", key="find"):
        rule.write(np.array([0.123456789, np.inf]))
    values = rule.exact(rule.read(scores, st.session_state.get("which", "one")))
    rule.sliders(values, ["women", "men"])
    st.session_state["out"] = values.tolist()


def sliders(at):
    return [s for s in at.slider if "common" not in s.key]


def test_what_is_found_is_kept_exactly_while_sliders_and_address_are_short():
    at = AppTest.from_function(script, default_timeout=20).run()
    at.button(key="find").click().run()
    assert not at.exception and at.session_state["out"] == [0.123456789, np.inf]
    assert at.query_params["t"] in ("0.123457,inf", ["0.123457,inf"])
    assert [s.value for s in sliders(at)] == [0.123, 1.0] and "nobody is selected" in sliders(at)[1].label


def test_moving_one_group_leaves_the_others_exact():
    at = AppTest.from_function(script, default_timeout=20).run()
    at.button(key="find").click().run()
    sliders(at)[1].set_value(0.7).run()
    assert at.session_state["out"] == pytest.approx([0.123457, 0.7], abs=1e-6)


def test_another_model_begins_anew():
    at = AppTest.from_function(script, default_timeout=20).run()
    at.button(key="find").click().run()
    at.session_state["which"] = "two"
    at.run()
    assert at.session_state["out"] == [0.5, 0.5] and "t" not in at.query_params
