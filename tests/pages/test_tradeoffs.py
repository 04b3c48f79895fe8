from __future__ import annotations

import json
import re

import pytest
from filled import fill, texts

from core.data.load import default_study
from core.types import JobSnapshot, MethodSpec, TrainSpec
from pages._ui import state


@pytest.fixture
def study(folder):
    return fill(folder)


def spec_of(at, place=0):
    return json.loads(at.get("vega_lite_chart")[place].proto.spec)


def test_without_models_the_page_offers_to_train(app):
    at = app("tradeoffs", study=state.store().create_study(default_study("german_credit")))
    assert not at.exception and "Nothing has been trained yet" in texts(at)
    at.button(key="empty:runs").click().run()
    assert at.title[0].value == "What should be tried?"


@pytest.mark.parametrize("screen", ["tradeoffs", "curves", "thresholds"])
def test_a_training_that_runs_is_shown_instead_of_an_empty_page(app, screen, monkeypatch):
    study = state.store().create_study(default_study("german_credit"))
    at = app("train", study=study)
    job = state.store().add_job(study, TrainSpec((MethodSpec("erm"),)))
    state.store().put_job(JobSnapshot(job, study, "running", done=3, total=10, n_runs=3))
    monkeypatch.setattr(type(state.jobs()), "snapshot", lambda self, which: self.store.job(which))
    at.switch_page(f"../{screen}.py").run()
    assert not at.exception and "Nothing has been trained yet" not in texts(at)
    (bar,) = at.get("progress")
    assert bar.proto.value == 30 and "Training 3 runs: 30" in bar.proto.text


def test_the_answer_tells_gain_cost_and_the_front(app, study):
    at = app("tradeoffs", study=study)
    assert not at.exception and not at.error
    said = texts(at)
    assert "worst-group accuracy (class × group)" in said and "on the front" in said
    assert spec_of(at)["layer"]


def test_the_axes_are_measures_with_a_direction_and_live_in_the_address(app, study):
    at = app("tradeoffs", study=study, y="selection_rate.gap")
    assert "demographic parity gap" in texts(at)
    assert not at.exception
    x = next(s for s in at.selectbox if s.label == "To the right")
    assert all("↑" in option or "↓" in option for option in x.options)
    x.set_value("f1").run()
    assert at.query_params["x"] in ("f1", ["f1"]) and not at.exception


def test_side_by_side_draws_validation_and_test(app, study):
    at = app("tradeoffs", study=study, split="both")
    assert not at.exception and len(at.get("vega_lite_chart")) == 2
    assert "On validation rows" in texts(at) and "On test rows" in texts(at)


def test_a_point_that_is_clicked_opens_its_model_and_its_links(app, study):
    at = app("tradeoffs", study=study)
    run = next(r for r in state.store().runs(study) if r.method == "group_dro" and r.seed == 0)
    at.session_state["front-test"] = {"selection": {"pick": [{"id": run.setting_key}]}}
    at.run()
    assert not at.exception
    assert "Group DRO: η = 0.01" in texts(at) and "By group on test rows" in texts(at)
    assert at.query_params["run"] in (run.key, [run.key])


def test_a_link_to_any_seed_opens_the_setting(app, study):
    run = next(r for r in state.store().runs(study) if r.method == "erm" and r.seed == 1)
    at = app("tradeoffs", study=study, run=run.key)
    assert not at.exception and "ERM (plain training): default settings" in texts(at)


def test_a_link_to_a_run_that_is_not_there_shows_the_front(app, study):
    at = app("tradeoffs", study=study, run="zzz")
    assert not at.exception and "By group on" not in texts(at)


def test_only_the_methods_chosen_are_shown(app, study):
    at = app("tradeoffs", study=study, methods="group_dro")
    table = at.dataframe[0].value
    assert set(table["title"]) == {"Group DRO"} and "Train ERM as well" in texts(at)


def test_a_saved_rule_with_hostile_words_stays_text(app, study):
    from core.jobs.rules import save_rule

    store = state.store()
    run = store.runs(study)[0]
    kept = save_rule(store, run, store.scores(run.cohort, "val").thresholds[0] + 0.1, "<img src=x> **=1+1** [a](b)")
    at = app("tradeoffs", study=study, run=kept.key)
    assert not at.exception
    assert "<img" in texts(at)
    assert not any(re.search(r"(?<!\\)(<img|\]\()", str(m.value)) for m in [*at.markdown, *at.subheader])


def test_several_classes_have_a_front_as_well(app, folder):
    at = app("tradeoffs", study=fill(folder, "penguins"))
    assert not at.exception and not at.error
    assert "worst-group accuracy" in texts(at)
