from __future__ import annotations

import json

import pytest

from core import registry
from core.data.load import default_study
from core.types import JobSnapshot, MethodSpec, TrainSpec
from pages._ui import state


def texts(at):
    return " ".join(str(e.value) for kind in ("markdown", "caption", "subheader", "header", "title")
                    for e in at.get(kind))


def test_an_empty_store_offers_every_built_in_set_with_one_click(app):
    at = app()
    assert not at.exception and not at.error
    keys = {b.key for b in at.button}
    assert {f"explore:{name}" for name in registry.datasets()} <= keys
    assert "Continue" not in [h.value for h in at.header]


def test_explore_begins_a_study_with_the_sets_own_roles_and_opens_training(app):
    at = app()
    at.button(key="explore:penguins").click().run()
    assert not at.exception
    (row,) = state.store().studies()
    assert row.spec.roles == default_study("penguins").roles and row.spec.trainings == ()
    assert at.session_state["open_study"] == row.id
    assert at.title[0].value != "What does fairness cost, and who pays?"


def test_a_second_study_of_a_set_gets_another_name(app):
    for _ in range(2):
        app().button(key="explore:penguins").click().run()
    first, second = sorted(row.name for row in state.store().studies())
    assert second == f"{first} 2"


def test_studies_are_listed_opened_renamed_and_deleted_after_a_second_question(app):
    ident = state.store().create_study(default_study("penguins"))
    at = app()
    assert "Continue" in [h.value for h in at.header]
    at.text_input(key=f"name:{ident}:text").set_value("  Birds *and* sex ")
    next(b for b in at.button if b.label == "Rename").click().run()
    assert state.store().study(ident).name == "Birds *and* sex"
    assert r"Birds \*and\* sex" in texts(at)
    assert at.button(key=f"delete:{ident}").disabled
    at.checkbox(key=f"sure:{ident}").check().run()
    at.button(key=f"delete:{ident}").click().run()
    assert not at.exception and state.store().studies() == []


def test_a_study_without_a_label_opens_on_the_data_page(app, csv):
    at = app()
    at.file_uploader(key="upload:table").upload("applications.csv", csv).run()
    at.button(key="upload:begin").click().run()
    assert not at.exception
    assert at.title[0].value == "What is in this table?"
    (row,) = state.store().studies()
    assert row.spec.roles is None and row.spec.data.source == "upload" and row.name == "applications"
    at = app()
    at.button(key=f"open:{row.id}").click().run()
    assert at.title[0].value == "What is in this table?"


@pytest.mark.parametrize(("name", "content"), [("empty.csv", b""), ("x.parquet", b"PAR1 nonsense"),
                                               ("x.xlsx", b"not a workbook")])
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence_and_not_kept(app, folder, name, content):
    at = app()
    at.file_uploader(key="upload:table").upload(name, content).run()
    assert not at.exception and len(at.error) == 1
    assert not [p for p in (folder / "uploads").rglob("*") if p.is_file()]
    assert state.store().studies() == []


def test_an_exported_study_file_is_imported_to_the_same_study(app):
    from pages._ui.studies import study_file

    spec = default_study("hmda")
    row = state.store().study(state.store().create_study(spec))
    content = study_file(row)
    assert json.loads(content)
    at = app()
    at.file_uploader(key="upload:study").upload("study.json", content).run()
    at.button(key="upload:import").click().run()
    assert not at.exception and not at.error
    copy = next(r for r in state.store().studies() if r.id != row.id)
    assert (copy.spec.data, copy.spec.roles, copy.spec.groups) == (spec.data, spec.roles, spec.groups)


def test_a_file_that_is_not_a_study_is_refused_in_one_sentence(app):
    at = app()
    at.file_uploader(key="upload:study").upload("study.json", b'{"format": "something else"}').run()
    at.button(key="upload:import").click().run()
    assert not at.exception and len(at.error) == 1


def test_an_interrupted_training_is_shown_with_one_click_to_resume_it(app, monkeypatch):
    store = state.store()
    ident = store.create_study(default_study("penguins"))
    job = store.add_job(ident, TrainSpec((MethodSpec("erm"),)))
    store.put_job(JobSnapshot(job, ident, "interrupted", done=0.4))
    resumed = []
    monkeypatch.setattr(type(state.jobs()), "resume", lambda self, which: resumed.append(which))
    at = app()
    assert "interrupted at 40 %" in texts(at)
    at.button(key=f"resume:{job}").click().run()
    assert resumed == [job] and not at.exception


def test_a_path_on_the_servers_disk_is_offered_only_where_the_operator_allows_it(app, tmp_path, monkeypatch, csv):
    assert not [t for t in app().text_input if t.key == "upload:path"]
    root = tmp_path / "tables"
    root.mkdir()
    (root / "applications.csv").write_bytes(csv)
    monkeypatch.setenv("COUNTERWEIGHT_DATA_ROOT", str(root))
    at = app()
    at.text_input(key="upload:path").set_value("../home/counterweight.db").run()
    at.button(key="upload:path-begin").click().run()
    assert len(at.error) == 1 and not at.exception
    at.text_input(key="upload:path").set_value("applications.csv").run()
    at.button(key="upload:path-begin").click().run()
    assert at.title[0].value == "What is in this table?"
