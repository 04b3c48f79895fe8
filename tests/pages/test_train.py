from __future__ import annotations

import time

import pytest
from filled import bare, fill, texts

from core.data.load import default_study
from core.types import JobSnapshot, MethodSpec, TrainSpec
from pages._ui import state


@pytest.fixture
def study():
    return state.store().create_study(default_study("german_credit"))


def finish(at, study, seconds=60):
    """Run the page again until nothing of the study trains any more."""
    until = time.monotonic() + seconds
    while any(job.live for job in state.store().jobs(study)):
        assert time.monotonic() < until
        time.sleep(0.1)
    return at.run()


def small(at):
    """The quickest plan: one method, one seed, few iterations."""
    at.multiselect[0].set_value(["erm"])
    for key, value in (("iterations", 20), ("seeds", 1)):
        next(n for n in at.number_input if n.key.endswith(f":{key}")).set_value(value)
    return at.run()


def test_without_a_study_the_page_offers_to_choose_a_data_set(app):
    at = app("train")
    assert not at.exception and "No study is open" in texts(at)


def test_the_first_look_is_ready_to_start_and_its_cost_is_said(app, study):
    at = app("train", study=study)
    assert not at.exception and not at.error
    assert {"erm", "reweight", "subg", "group_dro"} <= set(at.multiselect[0].value)
    assert "runs" in texts(at) and "MB of memory" in texts(at) and "passes" in texts(at)
    assert not at.button(key="start").disabled


def test_one_click_trains_keeps_the_training_in_the_study_and_shows_the_job(app, study):
    at = small(app("train", study=study))
    assert "1 run of 1 method with 1 seed" in texts(at)
    at.button(key="start").click().run()
    assert not at.exception
    at = finish(at, study)
    (job,) = state.store().jobs(study)
    assert job.state == "finished" and "1 of 1 run finished" in texts(at)
    (train,) = state.store().study(study).spec.trainings
    assert [m.name for m in train.methods] == ["erm"] and train.budget.iterations == 20
    assert [run.state for run in state.store().runs(study)] == ["finished"]
    assert "holds this very training already" in texts(at)
    next(n for n in at.number_input if n.key.endswith(":iterations")).set_value(30)
    assert "holds this very training already" not in texts(at.run())


def test_the_form_begins_with_the_last_training_of_the_study(app, folder):
    at = app("train", study=fill(folder))
    assert at.multiselect[0].value == ["erm", "group_dro", "group_thresholds"]
    assert next(n for n in at.number_input if n.key.endswith(":iterations")).value == 30
    assert any("0.01, 0.5" in bare(e.label) for e in at.expander)


def test_a_ready_made_set_replaces_the_methods_and_their_values(app, study):
    at = app("train", study=study)
    next(b for b in at.button_group if b.key.endswith(":plan")).set_value("parity").run()
    assert not at.exception
    assert {"dp_penalty", "eo_penalty", "adversarial"} <= set(at.multiselect[0].value)
    assert "focal" not in at.multiselect[0].value


def test_nothing_chosen_cannot_be_started_and_says_why(app, study):
    at = app("train", study=study)
    at.multiselect[0].set_value([]).run()
    assert at.button(key="start").disabled and len(at.error) == 1 and "ERM" in at.error[0].value


def test_a_number_to_predict_is_made_two_classes_with_one_click(app):
    study = state.store().create_study(default_study("communities_crime"))
    at = app("train", study=study)
    assert "Training needs classes" in texts(at)
    at.button(key="empty:cut").click().run()
    assert not at.exception and not at.error
    roles = state.store().study(study).spec.roles
    assert roles.task == "binary" and roles.threshold is not None
    assert not at.button(key="start").disabled


def test_methods_that_need_two_classes_are_not_offered_for_three(app):
    at = app("train", study=state.store().create_study(default_study("penguins")))
    assert not at.exception and "group_thresholds" not in at.multiselect[0].value
    said = texts(at)
    assert "Not offered, because they need two classes: " in said and "Group thresholds (exact)" in said


@pytest.mark.parametrize("cut", ["interrupted", "cancelled"])
def test_a_job_that_was_cut_off_offers_to_resume(app, study, cut, monkeypatch):
    job = state.store().add_job(study, TrainSpec((MethodSpec("erm"),)))
    state.store().put_job(JobSnapshot(job, study, cut, done=4, total=10, n_runs=3, message="Cut off."))
    resumed = []
    monkeypatch.setattr(type(state.jobs()), "resume", lambda self, which: resumed.append(which))
    at = app("train", study=study)
    at.button(key=f"resume:{job}").click().run()
    assert resumed == [job] and not at.exception


def test_a_failed_job_says_why_in_one_sentence_that_stays_text(app, study):
    job = state.store().add_job(study, TrainSpec((MethodSpec("erm"),)))
    state.store().put_job(JobSnapshot(job, study, "failed", message="No rows in <b>group</b> *x*.", log=("00:00 x",)))
    at = app("train", study=study)
    assert not at.exception and r"\<b\>group\<\/b\> \*x\*" in at.error[0].value


def test_what_is_typed_survives_a_visit_to_another_page(app, study):
    at = small(app("train", study=study))
    at.switch_page("../data.py").run()
    at.switch_page("../train.py").run()
    assert at.multiselect[0].value == ["erm"]
    assert next(n for n in at.number_input if n.key.endswith(":iterations")).value == 20
