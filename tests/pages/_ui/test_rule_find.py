from __future__ import annotations

import re

import numpy as np
import pytest
from filled import bare, fill
from streamlit.testing.v1 import AppTest

from core.fronts import OBJECTIVES, best_rule
from core.types import SPLITS, BadInput, Scores
from pages._ui import rule_find, state
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


def strict():
    import numpy as np
    import streamlit as st

    from core.types import Scores
    from pages._ui import query, rule_find

    y, attr = np.array([1, 1, 0, 0, 1, 1, 0, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    score = np.array([0.9, 0.8, 0.2, 0.1, 0.5, 0.4, 0.3, 0.1])
    rule_find.form(Scores(score[None], np.array([[0.5, 0.5]]), y, attr, np.ones(8), np.arange(8)))
    st.session_state["out"] = query.held("t", None, "")


def keeping(study, thresholds, place):
    import numpy as np

    from pages._ui import results, rule_find

    rule_find.save(results.runs(study)[place], np.array(thresholds), ("a", "b"))


def refuse(*_, **__):
    raise BadInput("Thresholds", "an *empty* value", "2 numbers, one a group", "give a threshold for every group")


@pytest.fixture
def study(folder):
    return fill(folder)


def rules(study):
    return [run for run in state.store().runs(study) if run.parent]


def kept(study, thresholds, title="", place=0):
    at = AppTest.from_function(keeping, args=(study, thresholds, place), default_timeout=20).run()
    at.text_input(key="rule:title").set_value(title)
    at.button(key="rule:save").click().run()
    assert not at.exception
    return at


def test_what_is_found_separates_groups_that_can_be_separated():
    at = AppTest.from_function(strict, default_timeout=20).run()
    assert at.session_state["out"] == "" and not any("Found" in c.value for c in at.caption)
    at.query_params["gap"] = "demographic_parity"
    at.slider(key="rule:bound").set_value(0.0)
    at.run().button(key="rule:find").click().run()
    first, second = (float(part) for part in at.session_state["out"].split(","))
    assert 0.2 < first <= 0.8 and 0.3 < second <= 0.4


def test_the_costs_decide_which_errors_are_made(monkeypatch):
    given = {}
    real = rule_find.best_rule
    monkeypatch.setattr(rule_find, "best_rule", lambda *a, **more: given.update(more, bound=a[4]) or real(*a, **more))
    at = AppTest.from_function(strict, default_timeout=20)
    at.query_params["aim"] = "expected_cost"
    at.run().number_input(key="rule:fn").set_value(7.0)
    at.slider(key="rule:bound").set_value(0.2)
    at.button(key="rule:find").click().run()
    assert (given["cost_fp"], given["cost_fn"], given["bound"]) == (1.0, 7.0, 0.2)
    assert given["objective"] == "expected_cost"


def test_a_search_that_cannot_be_made_is_told_and_leaves_the_sliders_alone(monkeypatch):
    monkeypatch.setattr(rule_find, "best_rule", refuse)
    at = AppTest.from_function(strict, default_timeout=20).run()
    at.button(key="rule:find").click().run()
    assert not at.exception and at.session_state["out"] == ""
    assert any("give a threshold for every group" in bare(c.value) for c in at.caption)
    assert not any("Found" in c.value for c in at.caption)


def test_a_saved_rule_is_a_run_with_its_thresholds_and_its_model_as_parent(study):
    model = state.store().runs(study)[1]
    at = kept(study, [0.25, 0.75], "  Two   lines ", place=1)
    (run,) = rules(study)
    assert (run.parent, run.method, run.seed, run.state) == (model.key, model.method, model.seed, "finished")
    assert run.note == "Two lines" and run.key != model.key and run.cohort != model.cohort
    for split in ("val", "test"):
        scores = state.store().scores(run.cohort, split)
        before = state.store().scores(model.cohort, split, [model.position])
        assert scores.thresholds.tolist() == [[0.25, 0.75]] and (scores.score == before.score).all()
    selected = before.score[0] >= np.array([0.25, 0.75])[before.attr]
    counts = state.store().history(run.cohort).counts[0, SPLITS.index("test"), 0]
    assert counts[..., 1].sum() == pytest.approx(before.w[selected].sum())
    link = at.get("page_link")[0].proto
    assert link.label == "Saved: see it on the front" and f"run={run.key}" in link.query_string


def test_a_rule_without_a_name_keeps_its_numbers_as_one(study):
    at = kept(study, [0.3, 0.3])
    assert rules(study)[0].note == "threshold 0.3" == at.text_input(key="rule:title").placeholder


def test_the_same_rule_is_kept_once(study):
    kept(study, [0.3, 0.3])
    at = kept(study, [0.3, 0.3], "Again")
    assert len(rules(study)) == 1 and rules(study)[0].note == "threshold 0.3" and len(at.get("page_link")) == 1


def test_a_rule_with_too_few_thresholds_is_refused_in_a_sentence(study):
    at = kept(study, [0.5])
    assert "give a threshold for every group" in bare(at.error[0].value)
    assert rules(study) == [] and not at.get("page_link")


def test_a_refusal_is_shown_as_text_not_as_formatting(study, monkeypatch):
    monkeypatch.setattr(rule_find, "save_rule", refuse)
    at = kept(study, [0.5, 0.5])
    assert "an *empty* value" in bare(at.error[0].value) and "an *empty* value" not in at.error[0].value


def test_a_coin_is_told_where_it_beats_every_single_rule():
    rng = np.random.default_rng(0)
    y, attr = rng.integers(0, 2, 60), np.arange(60) % 2
    score = np.round(rng.random(60) + 0.3 * y - 0.2 * attr, 1)
    val = Scores(score[None], np.array([[0.5, 0.5]]), y, attr, np.ones(60), np.arange(60))
    told = rule_find._coin(val, "accuracy", "demographic_parity", 0.02, (1.0, 1.0))
    expected = float(re.search(r"expected accuracy of ([0-9.]+[0-9])", told)[1])
    single = best_rule(score, y, attr, 2, 0.02)
    assert expected > float(re.search(r"accuracy ([0-9.]+[0-9])", single.note)[1]) and "at most 0.02" in told
    assert rule_find._coin(val, "accuracy", "demographic_parity", 1.0, (1.0, 1.0)) == ""
