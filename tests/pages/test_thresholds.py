from __future__ import annotations

import time

import numpy as np
import pytest
from filled import fill, texts

from core.data.load import default_study
from pages._ui import state


@pytest.fixture
def study(folder):
    return fill(folder)


def rates(at):
    return at.dataframe[0].value.set_index("group")


def test_without_models_the_page_offers_to_train(app):
    at = app("thresholds", study=state.store().create_study(default_study("german_credit")))
    assert not at.exception and "Nothing has been trained yet" in texts(at)


def test_several_classes_are_told_in_one_sentence_with_what_works_instead(app, folder):
    at = app("thresholds", study=fill(folder, "penguins"))
    assert not at.exception and "Thresholds need two classes" in texts(at)
    labels = [link.proto.label for link in at.get("page_link")]
    assert any("trade-offs" in label for label in labels) and any("learns when" in label for label in labels)


def test_it_opens_on_the_best_plain_model_at_its_own_line(app, study):
    at = app("thresholds", study=study)
    assert not at.exception and not at.error
    assert "The line is at 0.500 for everybody" in texts(at) and "On validation rows, which choose" in texts(at)
    assert at.selectbox[0].value in [run.key for run in state.store().runs(study) if run.method == "erm"]


def test_the_common_slider_moves_everybody_and_is_in_the_address(app, study):
    at = app("thresholds", study=study)
    before = rates(at).loc["everyone", "selected"]
    at.slider(key="view:t:common").set_value(0.8).run()
    assert not at.exception
    assert rates(at).loc["everyone", "selected"] < before
    assert at.query_params["t"] in ("0.8", ["0.8"])
    assert [s.value for s in at.slider if s.key.startswith("view:t:") and "common" not in s.key] == [0.8, 0.8]


def test_a_group_can_have_its_own_line(app, study):
    at = app("thresholds", study=study)
    at.slider(key="view:t:1").set_value(0.25).run()
    assert "Each group has its own line" in texts(at)
    assert rates(at)["threshold"].tolist()[:2] == [0.5, 0.25]


def test_a_link_holds_the_rule_even_one_that_selects_nobody(app, study):
    at = app("thresholds", study=study, t="0.4,inf")
    assert not at.exception and "Each group has its own line" in texts(at)
    label = rates(at).index[1]
    assert rates(at).loc[label, "selected"] == 0
    assert rates(at).loc[label, "ppv"] == "undefined, nobody selected"
    assert not app("thresholds", study=study, t="a,b", run="zzz").exception


def test_find_me_keeps_the_bound_on_validation_rows_and_tells_the_test(app, study):
    at = app("thresholds", study=study)
    at.slider(key="rule:bound").set_value(0.02).run()
    at.button(key="rule:find").click().run()
    assert not at.exception and not at.error
    assert "Found: demographic parity gap" in texts(at)
    gap = rates(at).loc["gap", "selection_rate"]
    assert float(gap.split(" %")[0]) <= 2.0
    assert "On test rows" in texts(at)


def test_another_model_begins_with_its_own_line(app, study):
    at = app("thresholds", study=study)
    at.slider(key="view:t:common").set_value(0.8).run()
    other = next(run for run in state.store().runs(study) if run.method == "group_dro")
    at.selectbox[0].set_value(other.key).run()
    assert "The line is at 0.500 for everybody" in texts(at)


def test_a_rule_is_saved_once_as_a_new_point_with_its_name(app, study):
    at = app("thresholds", study=study, t="0.4,0.45")
    at.text_input(key="rule:title").set_value("Ours <b>x</b>").run()
    for _ in range(2):
        at.button(key="rule:save").click().run()
    assert not at.exception and not at.error
    (kept,) = [run for run in state.store().runs(study) if run.parent]
    assert kept.note == "Ours <b>x</b>" and kept.state == "finished"
    assert np.allclose(state.store().scores(kept.cohort, "test").thresholds, [[0.4, 0.45]])
    assert any("see it on the front" in link.proto.label for link in at.get("page_link"))


def test_what_is_reported_and_what_chooses_are_both_there(app, study):
    at = app("thresholds", study=study)
    n = rates(at).loc["everyone", "n"]
    next(b for b in at.button_group if b.key == "view:rows").set_value("test").run()
    sizes = [len(part) for part in state.splits(state.store().study(study).spec)]
    assert [n, rates(at).loc["everyone", "n"]] == sizes[1:]


@pytest.mark.parametrize("tab", ["Scores", "ROC", "Precision and recall"])
def test_every_tab_can_be_drawn(app, study, tab):
    at = app("thresholds", study=study)
    at.session_state["rule-tabs"] = tab
    at.run()
    assert not at.exception and len(at.get("plotly_chart")) == 1


def test_hostile_names_of_groups_stay_text(app, csv, folder):
    from core.data.load import save_upload
    from core.jobs.queue import Jobs
    from core.types import AttributeSpec, Budget, GroupSpec, MethodSpec, Roles, StudySpec, TrainSpec

    data = save_upload(folder, "t.csv", csv.replace(b",F,", b",<b>F</b> [x](y) $z$,"))
    roles = Roles("hired", "yes", attributes=("sex",), dropped={"person": "identifier"})
    budget = Budget(iterations=5, evaluations=1)
    train = TrainSpec((MethodSpec("erm"),), net="linear", seeds=(0,), budget=budget)
    study = state.store().create_study(StudySpec("x", data, roles, GroupSpec((AttributeSpec("sex"),))))
    jobs = Jobs(state.store(), folder)
    job = jobs.submit(study, train)
    for _ in range(200):
        if not jobs.snapshot(job).live:
            break
        time.sleep(0.05)
    jobs.shutdown()
    at = app("thresholds", study=study)
    assert not at.exception
    label = next(s.label for s in at.slider if "F" in s.label)
    assert r"\<b\>" in label and r"\[x\]" in label and r"\$z\$" in label
    assert "<b>F</b>" in rates(at).index[1] or "<b>F</b>" in " ".join(rates(at).index)
    assert "&lt;b&gt;F" in at.get("plotly_chart")[0].proto.spec
