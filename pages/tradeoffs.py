"""Trade-offs: which models are worth choosing?"""

from __future__ import annotations

import streamlit as st

from core.store.base import StudyRow
from core.types import Task
from pages._ui import front, front_data, front_panel, model_card, picked, progress, results, run_picker, state
from pages._ui.text import plain

HOW = """
- **A point** is one setting of a method; its seeds are averaged. The line joins the settings that no other beats on
  both axes; the share of redrawn worlds says how sure that is.
- **Intervals** (95 %) hold two parts: rows drawn again, and seeds drawn again. Once training has ended the same rows
  are drawn for every model, which makes comparisons sharp.
- **The answer** compares plain training (ERM) with the setting that is best upwards *on validation rows* and tells both
  on the rows shown: the best of many models flatters itself on the rows that chose it.
- **The dashed lines** are what the most accurate plain model reaches with other thresholds alone, found exactly on
  validation rows and measured on the rows shown. A method is worth its trouble where it lies beyond them.
- **The worst group** is taken among groups with at least the number of rows under *More*, and among those in which the
  rate is defined.
- **The knee** is the point of the front farthest above the line between its ends.
"""


def body(row: StudyRow, task: Task, view: front.View) -> None:
    """Everything that moves while training."""
    now = front_data.read(row.id, task, view)
    main = view.splits[-1]
    table = now.tables[main]
    progress.strip(row.id)
    place.write(plain(f"{now.answer} {front_panel.standing(table)}", 1500))
    picked.read(now.tables)
    front_panel.fronts(now, view)
    if not now.runs:
        return
    first = run_picker.pick_setting("Open a model", now.runs, "", none="none (click a point, or choose here)")
    group = run_picker.settings(now.runs).get(first)
    if group:
        at = table.set_index("id").loc[group[0].setting_key]
        model_card.show(task, group, now.histories, at, view, main)
    front_panel.numbers(table, view, main)


row = state.require_study()
st.title("Which models are worth choosing?", anchor=False)
task = run_picker.require_task(row)
runs = results.runs(row.id)
if not runs:
    run_picker.nothing_yet(row.id, "Models")
place = st.empty()
view = front.controls(task, runs)
progress.live(row.id, body, row, task, view)
with st.expander("How is this computed", key="how-front"):
    st.markdown(HOW)
