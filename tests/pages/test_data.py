from __future__ import annotations

from dataclasses import replace

import pytest

from core import registry
from core.data.load import default_study, save_upload
from core.types import DataSpec, MethodSpec, RunRecord, StudySpec, TrainSpec
from pages._ui import state


def text(at):
    return " ".join(str(e.value) for kind in ("markdown", "caption", "subheader") for e in at.get(kind))


def widget(at, kind, suffix):
    return next(w for w in at.get(kind) if w.key and w.key.endswith(suffix))


@pytest.fixture
def built_in():
    def make(name="hmda"):
        return state.store().create_study(default_study(name))

    return make


@pytest.fixture
def upload(folder, csv):
    return state.store().create_study(StudySpec("Applications", save_upload(folder, "applications.csv", csv)))


@pytest.fixture
def trained(built_in):
    ident = built_in()
    job = state.store().add_job(ident, TrainSpec((MethodSpec("erm"),)))
    state.store().add_runs([RunRecord("k" * 16, ident, job, "c1", 0, "erm", {}, 0, "mlp", "finished")])
    return ident


def test_without_a_study_the_page_offers_the_one_click_that_mends_it(app):
    at = app("data")
    assert not at.exception
    assert [b.key for b in at.button] == ["empty:study"]
    at.button(key="empty:study").click().run()
    assert at.title[0].value == "What does fairness cost, and who pays?"


def test_a_link_to_a_deleted_study_says_so(app):
    at = app("data", study="gone-for-good")
    assert not at.exception and "deleted" in text(at)


@pytest.mark.parametrize("name", sorted(registry.datasets()))
def test_every_built_in_set_has_a_profile(app, built_in, name):
    at = app("data", study=built_in(name))
    assert not at.exception and not at.error
    assert f"{registry.dataset(name).title}"[:5] in text(at)
    assert len(at.dataframe) >= 2


def test_the_answer_counts_rows_and_says_the_positive_share(app, built_in):
    at = app("data", study=built_in())
    assert "2,380 rows" in text(at).replace("\\", "").replace("\u2060", "")
    assert "12.0 % of the rows" in text(at)


def test_looking_at_the_page_changes_nothing(app, built_in):
    ident = built_in("adult")
    before = state.store().study(ident).spec
    app("data", study=ident).run()
    assert state.store().study(ident).spec == before


def test_an_upload_goes_on_only_after_the_positive_class_is_confirmed(app, upload):
    at = app("data", study=upload)
    assert not at.exception and not at.error
    assert widget(at, "selectbox", ":label").value == "hired"
    assert widget(at, "radio", ":positive").value is None
    assert not [b for b in at.button if b.key.endswith(":confirm")]
    widget(at, "radio", ":positive").set_value("yes").run()
    widget(at, "button", ":confirm").click().run()
    assert not at.exception
    spec = state.store().study(upload).spec
    assert spec.roles.label == "hired" and spec.roles.positive == "yes"
    assert "constant" in spec.roles.dropped and spec.roles.key == "person"
    assert {a.column for a in spec.groups.attributes} == set(spec.roles.attributes) == {"sex", "age"}
    assert at.title[0].value == "Whose outcomes are compared?"


def test_a_choice_is_kept_when_the_page_is_left_and_visited_again(app, upload):
    at = app("data", study=upload)
    widget(at, "multiselect", ":attributes").set_value(["sex"]).run()
    widget(at, "number_input", ":seed").set_value(11).run()
    at.switch_page("../start.py").run()
    at.switch_page("../data.py").run()
    assert widget(at, "multiselect", ":attributes").value == ["sex"]
    assert widget(at, "number_input", ":seed").value == 11


def test_a_change_is_saved_at_once_while_nothing_is_trained(app, built_in):
    ident = built_in()
    at = app("data", study=ident)
    widget(at, "toggle", ":seen").set_value(False).run()
    assert not at.exception
    assert state.store().study(ident).spec.roles.attributes_as_features is False
    widget(at, "number_input", ":test").set_value(30.0).run()
    assert state.store().study(ident).spec.split.test == pytest.approx(0.3)


@pytest.mark.parametrize("name", ["adult", "compas", "german_credit"])
def test_a_change_of_another_part_leaves_the_groups_of_a_set_alone(app, built_in, name):
    ident = built_in(name)
    before = state.store().study(ident).spec
    at = app("data", study=ident)
    widget(at, "toggle", ":seen").set_value(False).run()
    after = state.store().study(ident).spec
    assert after.roles.attributes_as_features is False and after.groups == before.groups


def test_a_split_that_leaves_nothing_for_training_is_refused_and_stays_in_the_fields(app, built_in):
    ident = built_in()
    at = app("data", study=ident)
    widget(at, "number_input", ":val").set_value(60.0)
    widget(at, "number_input", ":test").set_value(55.0).run()
    assert len(at.error) == 1 and "training" in at.error[0].value and not at.exception
    assert widget(at, "number_input", ":test").value == 55.0
    assert state.store().study(ident).spec.split.test == 0.25


def test_after_training_a_change_becomes_a_new_study_without_runs(app, trained):
    at = app("data", study=trained)
    before = state.store().study(trained).spec
    widget(at, "toggle", ":seen").set_value(False).run()
    assert state.store().study(trained).spec == before
    assert "1 run of this study" in text(at)
    widget(at, "button", ":copy").click().run()
    assert not at.exception
    copy = next(r for r in state.store().studies() if r.id != trained)
    assert copy.spec.roles.attributes_as_features is False and copy.spec.trainings == ()
    assert at.session_state["open_study"] == copy.id


def test_the_options_of_a_set_make_the_table_anew(app, built_in):
    ident = built_in("compas")
    at = app("data", study=ident)
    switch = next(w for w in at.toggle if ":option:" in w.key)
    rows = len(state.dataset(state.store().study(ident).spec).y)
    switch.set_value(not switch.value).run()
    assert not at.exception and not at.error
    assert len(state.dataset(state.store().study(ident).spec).y) != rows


def test_a_number_to_predict_is_described_and_the_page_says_that_training_needs_classes(app, built_in):
    assert "Training needs classes" in text(app("data", study=built_in("cps_wages")))


def test_a_file_that_is_gone_is_told_in_one_sentence(app):
    ident = state.store().create_study(StudySpec("Lost", DataSpec("upload", "lost.csv", digest="0" * 64)))
    at = app("data", study=ident)
    assert len(at.error) == 1 and not at.exception


def test_stored_roles_that_do_not_fit_are_told_and_can_be_corrected(app):
    spec = default_study("penguins")
    broken = replace(spec, roles=replace(spec.roles, weight="species"))
    at = app("data", study=state.store().create_study(broken))
    assert not at.exception and at.error
    assert "already the label" in " ".join(e.value for e in at.error)
    assert widget(at, "selectbox", ":label").value == "species"
