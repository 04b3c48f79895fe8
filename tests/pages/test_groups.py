from __future__ import annotations

import pytest

from core import registry
from core.data.load import default_study, save_upload
from core.types import AttributeSpec, MethodSpec, RunRecord, StudySpec, TrainSpec
from pages._ui import state


def text(at):
    return " ".join(str(e.value) for kind in ("markdown", "caption", "subheader") for e in at.get(kind))


def widget(at, kind, part):
    return next(w for w in at.get(kind) if w.key and part in w.key)


@pytest.fixture
def study():
    def make(name="hmda"):
        return state.store().create_study(default_study(name))

    return make


def test_without_a_study_and_without_a_label_the_page_says_what_is_missing(app, folder, csv):
    assert [b.key for b in app("groups").button] == ["empty:study"]
    ident = state.store().create_study(StudySpec("Mine", save_upload(folder, "a.csv", csv)))
    at = app("groups", study=ident)
    assert "empty:roles" in [b.key for b in at.button]
    at.button(key="empty:roles").click().run()
    assert at.title[0].value == "What is in this table?"


@pytest.mark.parametrize("name", sorted(registry.datasets()))
def test_every_built_in_set_shows_its_groups_with_sizes(app, study, name):
    ident = study(name)
    before = state.store().study(ident).spec
    at = app("groups", study=ident)
    assert not at.exception and not at.error
    assert "are compared" in text(at) and len(at.dataframe) >= 1
    assert state.store().study(ident).spec == before


def test_no_attribute_puts_everyone_in_one_group(app, study):
    ident = study()
    at = app("groups", study=ident)
    widget(at, "multiselect", ":by:").set_value([]).run()
    assert not at.exception and "Everyone is in one group" in text(at)
    assert state.store().study(ident).spec.groups.attributes == ()


def test_another_attribute_brings_its_suggested_bands_and_is_saved(app, study):
    ident = study("adult")
    at = app("groups", study=ident)
    widget(at, "multiselect", ":by:").set_value(["sex", "age"]).run()
    assert not at.exception and not at.error
    assert state.store().study(ident).spec.groups.attributes[1] == AttributeSpec("age", edges=(40.0,))
    widget(at, "text_input", ":edges").set_value("30, 50").run()
    assert state.store().study(ident).spec.groups.attributes[1].edges == (30.0, 50.0)
    assert len(state.groups(state.store().study(ident).spec).labels) == 6


def test_a_bad_cut_is_refused_while_the_last_groups_stay_on_screen(app, study):
    ident = study("adult")
    at = app("groups", study=ident)
    widget(at, "multiselect", ":by:").set_value(["age"]).run()
    widget(at, "text_input", ":edges").set_value("old").run()
    assert len(at.error) == 1 and not at.exception and len(at.dataframe) >= 1
    assert widget(at, "text_input", ":edges").value == "old"
    assert state.store().study(ident).spec.groups.attributes[0].edges == (40.0,)


def test_small_groups_are_put_together_and_named(app, study):
    ident = study("adult")
    at = app("groups", study=ident)
    widget(at, "slider", ":least").set_value(600).run()
    assert not at.exception and "Put together" in text(at)
    spec = state.store().study(ident).spec
    assert spec.groups.min_rows == 600 and "other (merged)" in state.groups(spec).labels


def test_a_reference_group_is_kept_until_its_group_is_gone(app, study):
    ident = study("adult")
    at = app("groups", study=ident)
    label = state.groups(state.store().study(ident).spec).labels[-1]
    widget(at, "selectbox", ":reference").set_value(label).run()
    assert state.store().study(ident).spec.groups.reference == label
    widget(at, "multiselect", ":by:").set_value(["sex"]).run()
    assert not at.exception and not at.error
    assert state.store().study(ident).spec.groups.reference == ""


def test_after_training_other_groups_become_a_new_study(app, study):
    ident = study()
    job = state.store().add_job(ident, TrainSpec((MethodSpec("erm"),)))
    state.store().add_runs([RunRecord("k" * 16, ident, job, "c1", 0, "erm", {}, 0, "mlp", "finished")])
    before = state.store().study(ident).spec
    at = app("groups", study=ident)
    widget(at, "multiselect", ":by:").set_value([]).run()
    assert state.store().study(ident).spec == before
    widget(at, "button", ":copy").click().run()
    copy = next(r for r in state.store().studies() if r.id != ident)
    assert not at.exception and copy.spec.groups.attributes == () and at.session_state["open_study"] == copy.id
