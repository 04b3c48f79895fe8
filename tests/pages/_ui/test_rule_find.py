from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.fronts import OBJECTIVES
from pages._ui.rule_find import in_words


@pytest.mark.parametrize(("values", "words"), [
    ([0.5, 0.5], "threshold 0.5"), ([0.31, 0.622], "thresholds 0.31 to 0.622"), ([0.4, np.inf], "threshold 0.4"),
    ([np.inf, np.inf], "nobody is selected")])
def test_a_rule_without_a_name_is_called_by_its_numbers(values, words):
    assert in_words(np.array(values)) == words


def script():
    import numpy as np
    import streamlit as st

    from core.types import Scores
    from pages._ui import query, rule_find

    rng = np.random.default_rng(0)
    y, attr = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    score = 1 / (1 + np.exp(-(2 * y - 1 + 0.5 * attr + rng.normal(size=300))))
    rule_find.form(Scores(score[None], np.array([[0.5, 0.5]]), y, attr, np.ones(300), np.arange(300)))
    st.session_state["out"] = query.held("t", None, "")


@pytest.mark.parametrize("objective", list(OBJECTIVES))
@pytest.mark.parametrize("gap", ["demographic_parity", "worst_subgroup_error"])
def test_every_objective_can_be_searched(objective, gap):
    at = AppTest.from_function(script, default_timeout=30)
    at.query_params["aim"], at.query_params["gap"] = objective, gap
    at.run().button(key="rule:find").click().run()
    assert not at.exception and at.session_state["out"]
    assert any("Found" in c.value for c in at.caption)
    assert len(at.number_input) == (2 if objective == "expected_cost" else 0)
