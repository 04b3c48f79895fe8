from __future__ import annotations

import pytest
from filled import fill, texts

from core.data.load import default_study
from pages._ui import audit_run, state


@pytest.fixture
def study(folder):
    return fill(folder)


def test_only_runs_with_scores_of_a_study_with_classes_can_be_audited(study):
    row = state.store().study(study)
    assert audit_run.finished(None) == [] and len(audit_run.finished(row)) == len(state.store().runs(study))
    bare = state.store().create_study(default_study("cps_wages"))
    assert audit_run.finished(state.store().study(bare)) == []


def test_it_opens_on_the_best_plain_model_and_the_link_names_run_and_rows(app, study):
    at = app("audit", study=study)
    run = next(r for r in state.store().runs(study) if r.key == at.selectbox(key="view:run").value)
    assert run.method == "erm" and "rows are counted" in texts(at)
    n_test = int(texts(at).split(" of ")[1].split(" rows")[0].replace(",", ""))
    at.session_state["view:rows"] = "val"
    at.run()
    assert not at.exception and int(texts(at).split(" of ")[1].split(" rows")[0].replace(",", "")) != n_test


def test_another_run_can_be_set_beside_it(app, study):
    runs = state.store().runs(study)
    at = app("audit", study=study, run=runs[0].key, **{"with": runs[-1].key})
    assert not at.exception and not at.error
    assert at.selectbox(key="view:with").value == runs[-1].key
