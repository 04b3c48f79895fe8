"""The named criteria against a bound that a person sets: verdicts in words and marks, never by colour alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import registry
from core.audit.audit import Audit
from core.audit.criteria import TITLES, Verdict, judge
from core.metrics.words import CRITERIA
from pages._ui import audit_held, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, count, plain

MARKS = {"within": "✓ within", "beyond": "✕ beyond", "cannot tell": "? cannot tell",
         "not computable": "– not computable"}
FORMS = {"gap": "Largest difference", "ratio": "Smallest ratio", "to_reference": "Difference to the reference group"}
SLUGS = {words.lower().replace(" ", "_"): slug for slug, words in CRITERIA.items()}


def show(subject: Subject) -> None:
    """Form, bound, verdicts, and every other gap."""
    found = audit_held.audited(subject)
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-bound"):
        form = query.choice("form", "Compared by", list(FORMS), words=FORMS.get, kind="segmented")
        per_cent = query.whole("bound", "Bound (%)", 0, 100, 80 if form == "ratio" else 10, width=160,
                               help="A difference of at most, or a ratio of at least, this is accepted by you; no law "
                                    "and no statistic sets it.")
    verdicts = judge(found, {key: per_cent / 100 for key in _keys(found, form)})
    beyond = [v for v in verdicts if v.verdict == "beyond"]
    st.write(_said(verdicts, beyond))
    _table(verdicts, "audit-verdicts")
    st.caption("A verdict needs the whole interval on one side of the bound. Where it cannot tell, more rows are "
               "needed, not another test. Groups left out are named with the reason.")
    with st.expander("Every gap of every rate", key="audit-all-gaps"):
        _all(found, form)


def _keys(found: Audit, form: str) -> list[str]:
    """The named criteria in this form; forms without a name of their own use the rate's."""
    keys = [f"{name}.{form}" if f"{name}.{form}" in found.reductions else f"{SLUGS.get(name, name)}.{form}"
            for name in TITLES]
    return [key for key in dict.fromkeys(keys) if key in found.reductions]


def _said(verdicts: tuple[Verdict, ...], beyond: list[Verdict]) -> str:
    known = [v for v in verdicts if v.verdict != "not computable"]
    if not known:
        return "None of the criteria can be computed for these groups."
    words = ", ".join(plain(v.title.lower()) for v in beyond)
    unsure = sum(v.verdict == "cannot tell" for v in verdicts)
    head = f"**Beyond the bound: {words}.**" if beyond else "**No criterion is surely beyond the bound.**"
    tail = f" For {count(unsure, 'criterion', 'criteria')} the rows at hand cannot tell." if unsure else ""
    return head + tail


def _table(verdicts: tuple[Verdict, ...], key: str) -> None:
    rows = [{"title": v.title, "verdict": MARKS[v.verdict],
             "value": tables.cell(v.value.value, v.value.low, v.value.high, v.value.undefined or ""),
             "groups": clean(" and ".join(v.groups), 160),
             "left_out": clean("; ".join(f"{a} ({b})" for a, b in v.left_out), 200)} for v in verdicts]
    text = st.column_config.TextColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key=key, alt="Criteria with their verdicts",
                 column_config={"title": text("Criterion", pinned=True), "verdict": text("Verdict"),
                                "value": text("Value (interval)", alignment="right", width=tables.WIDE),
                                "groups": text("Between", width="medium"), "left_out": text("Left out")})


def _all(found: Audit, form: str) -> None:
    rows = []
    for key, reduction in found.reductions.items():
        slug, how = key.rsplit(".", 1)
        if how != form or slug not in registry.metrics(""):
            continue
        value = reduction.value
        share = registry.metric(slug).bounds == (0.0, 1.0) and form != "ratio"
        rows.append({"metric": registry.metric(slug).title, "groups": clean(" and ".join(reduction.groups), 160),
                     "value": tables.cell(value.value, value.low, value.high, value.undefined or "", share=share),
                     "size": -value.value if np.isfinite(value.value) else 0.0})
    table = pd.DataFrame(rows)
    if table.empty:
        st.caption("Nothing to compare.")
        return
    text = st.column_config.TextColumn
    st.dataframe(table.sort_values("size").drop(columns="size"), hide_index=True, height="content", key="audit-gaps",
                 alt="Every gap", column_config={
                     "metric": text("Rate", pinned=True), "groups": text("Between", width="medium"),
                     "value": text(FORMS[form], alignment="right", width=tables.WIDE)})
