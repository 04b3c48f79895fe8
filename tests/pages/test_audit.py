"""The audit page: a table or a trained model, one question after another."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from filled import fill, texts

from core.data.load import save_upload
from core.store.audits import add_audit, audits
from core.types import AuditSpec
from pages._ui import state
from pages._ui.audit_sections import QUESTIONS, SHORT

SPEC = AuditSpec("repaid", "yes", ("said",), ("p",), 0.5, attributes=("sex",), min_n=5)


def table(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    p = rng.random(n).round(3)
    sex = np.where(rng.random(n) < 0.5, "women", "men")
    repaid = np.where(rng.random(n) < p, "yes", "no")
    return pd.DataFrame({"repaid": repaid, "said": np.where(p + 0.2 * (sex == "men") > 0.6, "yes", "no"), "p": p,
                         "sex": sex, "income": rng.integers(1, 9, n), "region": rng.choice(["north", "south"], n)})


@pytest.fixture
def kept(folder):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, "loans.csv", table().to_csv(index=False).encode())
    return add_audit(folder, "Loans", data, SPEC)


def test_without_anything_a_file_or_an_example_is_offered(app):
    at = app("audit")
    assert not at.exception and at.title[0].value == "Whom does it serve worse?"
    assert any(b.label == "Audit the COMPAS scores" for b in at.button) and "no model is needed" in texts(at)


def test_the_example_opens_a_finished_audit_with_its_link(app, folder):
    at = app("audit")
    next(b for b in at.button if b.label == "Audit the COMPAS scores").click().run()
    assert not at.exception and not at.error
    assert "7,214 of 7,214 rows are counted" in texts(at) and "larger than chance explains" in texts(at)
    ident = at.query_params["audit"]
    assert audits(folder)[0].id == (ident if isinstance(ident, str) else ident[0])
    again = app("audit")
    next(b for b in again.button if b.label == "Audit the COMPAS scores").click().run()
    assert len(audits(folder)) == 1, "the example is kept once"


def test_every_question_has_an_answer_for_a_table_with_two_models(app, kept):
    at = app("audit", audit=kept.id)
    assert not at.exception and at.selectbox(key="view:model").value == "0"
    offered = [name for name in QUESTIONS if name != "audit_use"]
    for name in offered:
        at = app("audit", audit=kept.id, view=SHORT[name])
        assert not at.exception and not at.error, f"{name}: {[e.value for e in [*at.exception, *at.error]]}"
        assert at.session_state["view:view"] == SHORT[name]


def test_a_trained_model_is_audited_with_the_study_open(app, folder):
    study = fill(folder)
    for name in QUESTIONS:
        at = app("audit", study=study, view=SHORT[name])
        assert not at.exception and not at.error, f"{name}: {[e.value for e in [*at.exception, *at.error]]}"
    assert "rows are counted" in texts(at)


def test_a_study_of_several_classes_is_audited_too(app, folder):
    at = app("audit", study=fill(folder, "penguins"))
    assert not at.exception and not at.error and "rows are counted" in texts(at)


def test_columns_that_do_not_fit_are_told_in_one_sentence_beside_the_form(app, folder, kept):
    wrong = add_audit(folder, "Wrong", kept.data, AuditSpec("repaid", "perhaps", ("said",), attributes=("sex",)))
    at = app("audit", audit=wrong.id)
    assert not at.exception and "Positive class" in at.error[0].value.replace("\\", "")
    assert any(b.label == "Audit these columns" for b in at.button)


def test_an_audit_that_is_gone_is_told_and_the_choice_is_offered(app):
    at = app("audit", audit="gone12345")
    assert not at.exception and "gone12345" in at.error[0].value
    assert any(b.label == "Audit the COMPAS scores" for b in at.button)


def test_scores_without_threshold_and_labels_give_one_sentence(app, folder):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, "scores.csv", table()[["p", "sex"]].to_csv(index=False).encode())
    kept = add_audit(folder, "Scores", data, AuditSpec(scores=("p",), attributes=("sex",), min_n=5))
    at = app("audit", audit=kept.id)
    assert not at.exception and len(at.error) == 1 and "hreshold" in at.error[0].value, [e.value for e in at.error]


def test_names_of_files_and_groups_stay_text(app, folder):
    frame = table(60)
    frame["sex"] = np.where(frame["sex"] == "men", "<b>men</b>", "[women](http://x)")
    data = save_upload(folder, "x.csv", frame.to_csv(index=False).encode())
    kept = add_audit(folder, "<script>alert(1)</script>", data, SPEC)
    at = app("audit", audit=kept.id)
    assert not at.exception
    shown = " ".join(str(m.value) for m in [*at.markdown, *at.caption])
    assert "<script>" not in shown and "<b>" not in shown and "](http" not in shown


def test_the_export_is_the_command_lines_json(app, kept):
    from core.audit.audit import audit
    from core.audit.export import to_json
    from pages._ui import audit_held

    found = json.loads(to_json(audit(audit_held.of_table(kept, SPEC))))
    assert found["n_used"] == 200 and {g["label"] for g in found["groups"]} == {"women", "men"}
    assert state.home().exists()
