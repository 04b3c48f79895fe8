"""A trained run as the subject of an audit, with another run beside it."""

from __future__ import annotations

import streamlit as st

from core.figures.answer import best_run
from core.store.base import StudyRow
from core.types import RunRecord
from pages._ui import query, results, run_picker, state
from pages._ui.audit_held import Subject, of_runs
from pages._ui.text import clean

WITH = "with"
ROWS = {"test": "Test rows (to report)", "val": "Validation rows (to choose)"}


def finished(row: StudyRow | None) -> list[RunRecord]:
    """Runs of the open study that have scores."""
    if row is None or row.spec.roles is None or row.spec.roles.task == "regression":
        return []
    return [run for run in results.runs(row.id) if run.state == "finished"]


def subject(row: StudyRow, found: list[RunRecord]) -> Subject | None:
    """Run, rows and the run to compare with, from one row of widgets; None where scores are gone."""
    task = run_picker.require_task(row)
    known = results.histories(row.id, found)
    plain_runs = [run for run in found if run.method == "erm" and not run.parent] or found
    best = best_run(plain_runs, known, classes=task.classes, attr_labels=task.attr_labels) or found[0]
    names = {key: f"{words}, seed {next(r.seed for r in found if r.key == key)}"
             for key, words in run_picker.names(found).items()}
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-runs"):
        key = run_picker.pick_run("Model", found, best.key, width=360, help="One run: a model with its seed.")
        others = ["", *[k for k in names if k != key]]
        other = query.choice(WITH, "Compared with", others, words=lambda k: names.get(k, "no other model"), width=360,
                             help="The same rows under another model: who gains, who loses.")
        split = query.choice("rows", "Rows", list(ROWS), words=lambda k: ROWS[k], kind="segmented")
    chosen = [next(run for run in found if run.key == k) for k in (key, other) if k]
    parts = [results.cohort_scores(run.cohort, split, (run.position,)) for run in chosen]
    if any(part is None for part in parts):
        st.info("The scores of this model are not kept here; choose another one.")
        return None
    scores = results.together(parts)
    weighted = bool(row.spec.roles.weight)
    titles = tuple(clean(names[run.key], 120) for run in chosen)
    ident = f"{row.id}:{split}:" + ":".join(run.key for run in chosen)
    rows = of_runs(ident, state.dataset(row.spec), state.groups(row.spec), scores, titles, weighted, 10)
    return Subject(ident, titles[0], rows, "run", 0, 1 if len(rows.models) > 1 else None)
