"""Audit: whom do these predictions serve worse? No model is needed."""

from __future__ import annotations

import streamlit as st

from core.types import BadInput, Predictions
from pages._ui import audit_bring, audit_columns, audit_held, audit_run, audit_sections, held, nav, query, state
from pages._ui.audit_held import Subject
from pages._ui.text import clean, plain

SOURCES = {"table": "A table of predictions", "run": "A trained model of this study"}
HOW = """
- **Everything is counted**: one table of true against predicted classes for every group; each rate is one line over it.
- **Intervals** are Wilson's for shares, DeLong's for areas under the ROC curve, and put together from pairs of groups
  (Newcombe) for gaps, ratios and the worst group of shares; all else is drawn again 2,000 times within groups. With
  several rows of a person, persons are drawn.
- **0 of 0 is undefined**, not zero: such a group is named with the reason and enters no gap and no worst.
- **Small groups** (fewer rows than the limit) are drawn hollow and left out of the worst group.
- **"Larger than chance explains"** means: the difference stands after correcting for how many groups were looked at.
- **An audit shows what is, not why, and not what is right.** Which gap matters, and how much, is for people to say.
"""


def of_table() -> Subject | None:
    """Bring a table, say which column is which, choose the model."""
    kept = audit_bring.opened()
    if kept is None:
        audit_bring.show()
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="audit-head"):
        st.caption(f"**{plain(kept.title, 80)}**", width="content")
        st.button("Another table", key="audit:close", on_click=audit_bring.close, type="tertiary",
                  help="Keeps this audit; its link and the list bring it back.")
    try:
        rows = audit_held.of_table(kept, kept.spec) if kept.spec else None
    except BadInput as refused:
        st.error(plain(refused, 400))
        rows = None
    with st.expander("Which column is which", expanded=rows is None, key="audit-columns"):
        try:
            audit_columns.form(kept)
        except BadInput as refused:
            st.error(plain(refused, 400))
    return None if rows is None else _model(kept.id, kept.title, rows)


def _model(ident: str, title: str, rows: Predictions) -> Subject:
    """Which of the table's models is audited, and with which it is compared."""
    names = {str(k): clean(model.name, 80) for k, model in enumerate(rows.models)}
    key, model, other = f"{ident}:{held.digest(rows.spec)}", 0, None
    if len(names) > 1:
        with st.container(horizontal=True, vertical_alignment="bottom", key="audit-models"):
            model = int(query.choice("model", "Model", list(names), words=names.get, width=320))
            rest = ["", *[k for k in names if k != str(model)]]
            chosen = query.choice(audit_run.WITH, "Compared with", rest, words=lambda k: names.get(k, "no other model"),
                                default=rest[1], width=320, help="The same rows under another model.")
            other = int(chosen) if chosen else None
    return Subject(key, title, rows, "table", model, other)


def body(subject: Subject) -> None:
    """What was done to the rows, then one question after another."""
    if subject.rows.notes:
        st.caption(plain(" ".join(subject.rows.notes), 900))
    audit_sections.show(subject)


row = state.study()
runs = audit_run.finished(row)
st.title("Whom does it serve worse?", anchor=False)
answer = st.container()
source = "table"
if runs:
    first = "table" if st.query_params.get(audit_bring.AUDIT) else "run"
    source = query.choice("of", "What is audited", list(SOURCES), words=lambda k: SOURCES[k], kind="segmented",
                          default=first, pin=True)
elif row is not None and row.spec.roles is not None:
    st.caption("The open study has no finished model yet; its models can be audited here once they are trained.")
    nav.link("train", "Train models")
subject = audit_run.subject(row, runs) if source == "run" and row is not None else of_table()
if subject is not None:
    try:
        with answer:
            audit_sections.answer(subject)
        body(subject)
    except BadInput as refused:
        st.error(plain(refused, 400))
with st.expander("How an audit counts", key="how-audit"):
    st.markdown(HOW)
