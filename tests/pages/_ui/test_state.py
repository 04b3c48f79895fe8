from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.data.load import default_study
from core.types import MethodSpec, RunRecord, TrainSpec
from pages._ui import state


@pytest.fixture
def ident():
    return state.store().create_study(default_study("penguins"))


def test_the_data_folder_is_the_one_the_environment_names(folder):
    assert state.home() == folder.resolve()
    assert (folder / "counterweight.db").exists() or state.store() is state.store()


def test_one_store_and_one_queue_serve_all_sessions():
    assert state.store() is state.store() and state.jobs() is state.jobs()
    assert state.jobs().store is state.store()


def test_another_data_folder_is_another_store(tmp_path, monkeypatch, ident):
    first = state.store()
    monkeypatch.setenv("COUNTERWEIGHT_HOME", str(tmp_path / "other"))
    assert state.store() is not first and state.store().studies() == []


def test_runs_are_counted_anew_when_the_study_changed(ident):
    assert state.n_runs(ident) == 0
    job = state.store().add_job(ident, TrainSpec((MethodSpec("erm"),)))
    state.store().add_runs([RunRecord("k" * 16, ident, job, "c", 0, "erm", {}, 0, "mlp", "finished")])
    assert state.n_runs(ident) == 1


def test_the_study_of_the_address_wins_over_the_one_of_the_session_and_is_kept(app, ident):
    other = state.store().create_study(default_study("hmda"))
    at = app("start", study=ident)
    assert at.session_state["open_study"] == ident
    at.query_params["study"] = other
    at.run()
    assert at.session_state["open_study"] == other
    at.query_params.clear()
    at.run()
    assert other in at.query_params["study"]


def test_a_taken_name_gets_a_number_even_where_it_is_as_long_as_a_name_may_be():
    spec = replace(default_study("penguins"), name="n" * 120)

    def script(spec):
        from pages._ui import state

        state.create(spec)
        state.create(spec)

    at = AppTest.from_function(script, args=(spec,), default_timeout=20).run()
    assert not at.exception
    assert sorted(len(row.name) for row in state.store().studies()) == [112, 120]
