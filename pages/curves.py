"""Curves: who learns when?"""

from __future__ import annotations

import streamlit as st

from core.figures.curves import LOSS
from core.figures.learnt import large_groups, learnt_answer, learnt_table
from core.metrics.measure import parse
from core.store.base import StudyRow
from core.types import Task
from pages._ui import curves, nav, progress, results, run_picker, state, tables
from pages._ui.text import count, plain

ENOUGH = 30
HOW = f"""
- **A line** is the mean over seeds, the band runs from the lowest to the highest seed. Rates come from the confusion
  counts kept at every evaluation, so a metric can be chosen after training.
- **Iterations** are optimiser steps. Rows that were trained on are measured on a fixed sample where there are many.
- **Learnt first and last**: for each group with at least {ENOUGH} rows, the first evaluation at which nine tenths of
  the way from its first to its best value are made.
- **Where each rule would stop**: the evaluation with the best validation value of accuracy over everyone, of the worst
  class × group (10 rows or more), and of the worst class. The table tells what that pick reaches on test rows.
- **Loss** is the mean cross-entropy of the rows, whatever loss the method trains with.
"""


def body(row: StudyRow, task: Task, view: curves.View) -> None:
    """Everything that moves while training."""
    every = results.runs(row.id)
    groups = run_picker.settings(every)
    runs = [run for key in view.models for run in groups.get(key, [])]
    known = results.histories(row.id, runs)
    table, marks = curves.lines(task, runs, known, view, every), curves.stops(task, runs, known, every)
    progress.strip(row.id)
    said = answer(task, table, marks, runs, known, view, run_picker.spoken(every, runs[0]) if runs else "")
    place.write(plain(said, 1500))
    if runs and runs[0].parent:
        nav.link("curves", "A saved rule has one evaluation: see the model it was made from", run=runs[0].parent)
    curves.chart(task, table, marks, view, said)
    if not marks.empty:
        st.subheader("Where each selection rule would stop", anchor=False)
        curves.stops_table(marks)
    if not table.empty:
        tables.download(table, "curves", "curves-csv", "Download the curves as CSV")


def answer(task, table, marks, runs, known, view, name) -> str:
    """About the main model, on the last of the chosen rows, for groups that are large enough to say something."""
    history = known.get(runs[0].cohort) if runs else None
    if history is None or table.empty:
        return "Nothing has been measured yet."
    main = runs[0].setting_key
    part = table[(table["id"] == main) & (table["split"] == view.rows[-1])]
    few = 0
    if view.metric == LOSS or not parse(view.metric).how:
        enough = large_groups(history, by=view.by, split=view.rows[-1], min_n=ENOUGH, classes=task.classes,
                              attr_labels=task.attr_labels)
        few = part["group"].nunique()
        part = part[part["group"].isin(enough)]
        few -= part["group"].nunique()
    said = learnt_answer(learnt_table(part, metric=view.metric), metric=view.metric, name=name,
                         marks=marks[marks["id"] == main])
    return f"{said} {count(few, 'group')} with fewer than {ENOUGH} rows: drawn, not told." if few else said


row = state.require_study()
st.title("Who learns when?", anchor=False)
task = run_picker.require_task(row)
runs = results.runs(row.id)
if not runs:
    run_picker.nothing_yet(row.id, "Learning curves")
    progress.live(row.id, progress.strip, row.id)
else:
    place = st.empty()
    progress.live(row.id, body, row, task, curves.controls(task, runs, results.histories(row.id, runs)))
with st.expander("How is this computed", key="how-curves"):
    st.markdown(HOW)
