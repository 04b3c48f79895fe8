from __future__ import annotations

import json

from core.data.load import default_study
from core.study import parse_study
from core.types import MethodSpec, TrainSpec
from pages._ui import state, studies


def test_the_study_file_reads_back_to_the_same_study():
    spec = default_study("compas")
    row = state.store().study(state.store().create_study(spec))
    assert parse_study(json.loads(studies.study_file(row))) == row.spec


def test_deleting_a_study_cancels_its_jobs_first(monkeypatch):
    ident = state.store().create_study(default_study("penguins"))
    state.jobs()
    job = state.store().add_job(ident, TrainSpec((MethodSpec("erm"),)))
    cancelled = []
    monkeypatch.setattr(type(state.jobs()), "cancel", lambda self, which: cancelled.append(which))
    studies.delete(state.store().study(ident))
    assert cancelled == [job] and state.store().studies() == []


def test_old_studies_wait_behind_one_click(app):
    for _ in range(studies.SHOWN + 2):
        state.store().create_study(default_study("penguins"))
    at = app()
    assert [e.label for e in at.expander if "older" in e.label] == ["2 older studies"]
    assert len([b for b in at.button if b.key.startswith("open:")]) == studies.SHOWN + 2
