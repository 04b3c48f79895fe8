"""Thresholds: where should the line be drawn?"""

from __future__ import annotations

import streamlit as st

from core.figures.answer import best_run, rule_answer
from core.store.base import StudyRow
from core.types import RunRecord, Task
from pages._ui import nav, progress, query, results, rule, rule_find, rule_view, run_picker, state
from pages._ui.text import plain

ROWS = {"val": "Validation rows (to choose)", "test": "Test rows (to report)"}
HOW = """
- **The rule** is *score ≥ threshold*, where the score is the model's probability of the positive class.
- **Validation rows choose, test rows report.** A rule that keeps a bound on the rows that chose it keeps it only about
  on others; with small groups it may miss it by far. The answer always tells both.
- **Find it** searches all distinct scores of all groups exactly, not a grid. A group in which the rate is undefined
  does not enter the gap.
- **Intervals** are Wilson's for shares; those of gaps and ratios compare every pair of groups (Newcombe's intervals)
  and cover at least as often as they say, also where nobody errs. 0 of 0 is undefined, not zero.
- **The sweep** takes every distinct score; about 500 points a line are drawn.
"""


def body(row: StudyRow, task: Task, run: RunRecord) -> None:
    """Sliders and what they do; reruns by itself, without the rest of the page."""
    parts = {split: results.cohort_scores(run.cohort, split, (run.position,)) for split in ROWS}
    if None in parts.values():
        st.info("This model's scores are not kept here; choose another one.")
        return
    values = rule.exact(rule.read(parts["val"], run.key))
    found = {split: rule_view.numbers(scores, values, task.attr_labels) for split, scores in parts.items()}
    st.write(plain(rule_answer(found["val"], found["test"], values), 1500))
    controls, picture = st.columns([1, 3], gap="large")
    with controls:
        rule.sliders(values, task.attr_labels)
        with st.container(border=True, key="rule-find"):
            rule_find.form(parts["val"])
    with picture:
        rows = query.choice("rows", "Rows", list(ROWS), words=lambda k: ROWS[k], kind="segmented")
        rule_view.table(found[rows], rows)
        rule_find.save(run, values, task.attr_labels)
        rule_view.plots(run.key, rows, parts[rows], values, task)


row = state.require_study()
st.title("Where should the line be drawn?", anchor=False)
task = run_picker.require_task(row)
if task.n_classes != 2:
    st.write(f"Thresholds need two classes, and this label has {task.n_classes}: a model of several classes picks the "
             "class with the largest score.")
    nav.link("tradeoffs", "Compare its models on the trade-offs page")
    nav.link("curves", "See who learns when")
    st.stop()
runs = [run for run in results.runs(row.id) if run.state == "finished"]
if not runs:
    run_picker.nothing_yet(row.id, "Thresholds")
    progress.live(row.id, progress.strip, row.id)
    st.stop()
known = results.histories(row.id, runs)
plain_runs = [run for run in runs if run.method == "erm" and not run.parent] or runs
best = best_run(plain_runs, known, classes=task.classes, attr_labels=task.attr_labels) or runs[0]
key = run_picker.pick_run("Model", runs, best.key, help="One run: a model with its seed.")
st.fragment(body)(row, task, next(run for run in runs if run.key == key))
with st.expander("How is this computed", key="how-thresholds"):
    st.markdown(HOW)
