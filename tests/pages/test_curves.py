from __future__ import annotations

import json

import pytest
from filled import fill, texts

from core.data.load import default_study
from pages._ui import state


@pytest.fixture
def study(folder):
    return fill(folder)


def runs_of(study, method):
    return [run for run in state.store().runs(study) if run.method == method]


def spec_of(at):
    return json.loads(at.get("vega_lite_chart")[0].proto.spec)


def test_without_models_the_page_offers_to_train(app):
    at = app("curves", study=state.store().create_study(default_study("german_credit")))
    assert not at.exception and "Nothing has been trained yet" in texts(at)


def test_the_answer_says_who_is_learnt_when_and_where_the_rules_stop(app, study):
    at = app("curves", study=study)
    assert not at.exception and not at.error
    said = texts(at)
    assert said.count("ERM (plain training)") and "learns" in said and "Stopping by the best validation value" in said
    assert "average at" in said and "worst group at" in said and "worst class at" in said
    assert at.query_params["run"]


def test_the_table_tells_what_each_rule_reaches_on_test_rows(app, study):
    table = app("curves", study=study).dataframe[0].value
    assert table["rule"].tolist() == ["average", "worst group", "worst class"]
    assert "picked" not in table and table["value"].between(0, 1).all()  # of one model each rule's pick is its own


def test_a_link_shows_its_model_metric_and_partition(app, study):
    run = runs_of(study, "group_dro")[1]  # another seed or setting than the first
    at = app("curves", study=study, run=run.key, metric="loss", by="class", on="train,val")
    assert not at.exception and "Group DRO" in texts(at)
    assert spec_of(at)["layer"][1]["encoding"]["y"]["title"].startswith("Loss")
    assert next(b for b in at.button_group if b.key == "view:by").value == "class"


def test_two_models_are_compared_in_charts_of_their_own_or_in_one(app, study):
    first, other = runs_of(study, "erm")[0], runs_of(study, "group_dro")[0]
    at = app("curves", study=study, run=first.key, **{"with": other.key})
    assert at.dataframe[0].value.groupby("rule")["picked"].sum().eq(1).all()
    assert not at.exception and "facet" in spec_of(at)
    assert len(at.dataframe[0].value) == 6
    next(b for b in at.button_group if b.key == "view:panels").set_value("none").run()
    assert not at.exception and "facet" not in spec_of(at)


def test_a_measure_between_groups_is_one_line(app, study):
    at = app("curves", study=study, metric="selection_rate.gap")
    assert not at.exception and "demographic parity gap" in texts(at)


def test_every_partition_and_kind_of_rows_can_be_drawn(app, study):
    for by in ("all", "attr", "class", "subgroup"):
        assert not app("curves", study=study, by=by, on="train,val,test", metric="tpr").exception


def test_a_saved_rule_leads_to_the_model_it_was_made_from(app, study):
    from core.jobs.rules import save_rule

    store = state.store()
    run = store.runs(study)[0]
    kept = save_rule(store, run, store.scores(run.cohort, "val").thresholds[0] + 0.1, "mine")
    at = app("curves", study=study, run=kept.key)
    assert not at.exception and "mine" in texts(at)
    assert any("model it was made from" in link.proto.label for link in at.get("page_link"))


def test_several_classes_have_curves_too(app, folder):
    at = app("curves", study=fill(folder, "penguins"), by="subgroup")
    assert not at.exception and not at.error
