from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.data.load import default_study
from core.types import MethodSpec, TrainSpec
from pages._ui import state
from pages._ui.saving import trained


def script(ident):
    from dataclasses import replace

    import streamlit as st

    from pages._ui import saving, state

    row = state.store().study(ident)
    spec = replace(row.spec, groups=st.session_state.get("said", row.spec.groups))
    saving.settle(row, spec, "form", spec.groups)


@pytest.fixture
def ident():
    return state.store().create_study(default_study("penguins"))


def other(spec, rows):
    return replace(spec.groups, min_rows=rows)


def test_what_the_person_changes_is_saved_and_the_name_is_left_alone(ident):
    spec = state.store().study(ident).spec
    at = AppTest.from_function(script, args=(ident,), default_timeout=20).run()
    state.store().rename_study(ident, "Renamed meanwhile")
    at.session_state["said"] = other(spec, 20)
    at.run()
    row = state.store().study(ident)
    assert row.spec.groups.min_rows == 20 and row.name == "Renamed meanwhile"


def test_a_window_left_open_never_writes_its_old_words_back(ident):
    spec = state.store().study(ident).spec
    at = AppTest.from_function(script, args=(ident,), default_timeout=20)
    at.session_state["said"] = spec.groups
    at.run()
    state.save(ident, replace(spec, groups=other(spec, 50)))
    at.run()
    assert state.store().study(ident).spec.groups.min_rows == 50


def test_a_study_in_training_is_as_fixed_as_a_trained_one(ident):
    row = state.store().study(ident)
    state.jobs()
    assert not trained(row)
    state.store().add_job(ident, TrainSpec((MethodSpec("erm"),)))
    assert trained(row)
    at = AppTest.from_function(script, args=(ident,), default_timeout=20).run()
    at.session_state["said"] = other(row.spec, 20)
    at.run()
    assert state.store().study(ident).spec.groups == row.spec.groups
    assert [b.label for b in at.button] == ["Save as a new study"]
