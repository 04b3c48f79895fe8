from __future__ import annotations

import pytest

from core.data.load import default_study
from core.types import JobSnapshot, MethodSpec, RunRecord, StudySpec, TrainSpec
from pages._ui import results, state
from pages._ui.bar import groups_in_words, job_in_words, runs_in_words


def said(at):
    return " ".join(c.value for c in at.caption)


@pytest.fixture
def ident():
    return state.store().create_study(default_study("adult"))


def test_the_bar_names_data_groups_and_runs_on_every_screen(app, ident):
    for screen in ("start", "data", "groups"):
        words = said(app(screen, study=ident))
        assert "Adult census income" in words and "groups: sex × race" in words and "0 runs" in words


def test_the_study_is_renamed_in_place_and_an_empty_name_is_refused(app, ident):
    at = app("groups", study=ident)
    at.text_input(key=f"rename:{ident}").set_value("   ")
    next(b for b in at.button if b.label == "Rename").click().run()
    assert len(at.error) == 1 and state.store().study(ident).name == "Adult census income"
    at.text_input(key=f"rename:{ident}").set_value("Pay <b>1994</b>")
    next(b for b in at.button if b.label == "Rename").click().run()
    assert not at.exception and state.store().study(ident).name == "Pay <b>1994</b>"


def test_a_running_job_is_told_with_its_share_and_time_left(app, ident, monkeypatch):
    job = state.store().add_job(ident, TrainSpec((MethodSpec("erm"),)))
    now = JobSnapshot(job, ident, "running", done=42.0, total=100.0, seconds_left=65.0)
    state.jobs()
    state.store().put_job(now)
    monkeypatch.setattr(type(state.jobs()), "snapshot", lambda self, which: now)
    assert "training, 42 % done, 1 min 5 s left" in said(app("data", study=ident))


def test_words_for_what_is_missing():
    assert groups_in_words(StudySpec("a", default_study("adult").data)) == "no groups yet"
    assert job_in_words(JobSnapshot("j", "s", "queued")) == "waiting for its turn"
    assert job_in_words(JobSnapshot("j", "s", "running", done=0.5)) == "training, 50 % done"


def test_the_link_names_the_study_also_where_the_screen_stops_early(app, ident):
    assert f"study={ident}" in app("data", study=ident).code[0].value
    state.save(ident, StudySpec("Adult", default_study("adult").data))
    assert f"study={ident}" in app("groups", study=ident).code[0].value


def test_a_training_that_was_cut_short_tells_how_many_of_its_runs_are_finished(monkeypatch):
    def held(*states):
        found = [RunRecord(f"k{i}", "s", "j", "c", i, "erm", {}, i, "mlp", state) for i, state in enumerate(states)]
        monkeypatch.setattr(results, "runs", lambda ident: found)

    held("finished", "diverged", "queued")
    assert runs_in_words("s", running=False) == "2 of 3 runs finished"
    assert runs_in_words("s", running=True) == "3 runs"
    held("finished", "finished")
    assert runs_in_words("s", running=False) == "2 runs"
