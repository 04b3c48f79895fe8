"""Parity in every region: the gap between the groups among people who are alike in chosen features."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.local import Local, Region, local_gaps, local_outcomes, local_tree, said
from core.types import BadInput, Value
from pages._ui import audit_held, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, count, percent, plain

TITLES = {"selection": "Predicted positive", "tpr": "True positive rate", "fpr": "False positive rate",
          "error": "Predicted wrongly"}
HOW = """
- **Regions** are the cells of one or two features, or the leaves of a shallow tree. The tree seeks gaps in one random
  half of the rows and is measured on the other half, so that what it found by luck does not count (Athey, Imbens 2016).
- **Gap**: the largest rate less the smallest among groups with enough rows in the region. Intervals (Newcombe, Wilson)
  hold for all regions at once; p-values (likelihood ratio) are adjusted by Holm over the regions.
- **Mean gap**: each region counts with its rows. Gaps are never negative, so chance alone makes some; how much is told
  beside it. Its interval is cautious: it covers more often than it says.
- **Why**: a model can treat groups alike overall and far apart within regions, where one gap hides another; and a gap
  overall can be gone within regions. Source: Grari et al. 2024, regions of at least 50 rows.
- **Limits.** A feature that stands for the group itself leaves regions with one group, which are left out. People who
  are alike in two features may differ in others.
"""


def show(subject: Subject) -> None:
    """Answer, controls, table."""
    rows = subject.rows
    outcomes = local_outcomes(rows, subject.model)
    st.subheader("Within regions of the features", anchor=False)
    if rows.n_attrs < 2 or not outcomes or not len(rows.features.columns):
        st.info("No gaps within regions, because " + ("there is one group." if rows.n_attrs < 2 else
                "no rate can be compared." if not outcomes else "there are no features."))
        return
    answer = st.container()
    places = {str(k): clean(name, 80) for k, name in enumerate(rows.features.columns)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-slices-local-set"):
        outcome = query.choice("sl_rate", "Rate", list(outcomes), words=lambda k: TITLES[k], width=220)
        first = query.choice("sl_by", "Regions of", ["tree", *places], width=240,
                             words=lambda k: places.get(k, "found by a tree"))
        rest = [k for k in places if k != first]
        second = "none" if first == "tree" or not rest else query.choice(
            "sl_and", "And", ["none", *rest], words=lambda k: places.get(k, "nothing else"), width=240)
        least = query.whole("sl_rows", "Least rows", 10, 100_000, 50, width=140, help="Rows that a region needs.")
    names = [str(rows.features.columns[int(k)]) for k in (first, second) if k in places]
    try:
        found: Local = audit_held.computed(
            subject, f"local:{subject.model}:{outcome}:{first}:{second}:{least}",
            lambda: local_gaps(rows, subject.model, outcome, names, least=least) if names else
            local_tree(rows, subject.model, outcome, least=least))
    except BadInput as refused:
        answer.info(plain(refused, 400))
        return
    with answer:
        st.markdown("\n".join(f"- {plain(line, 600)}" for line in said(found)))
    _table(found)
    with st.expander("How are gaps within regions computed?", key="audit-local-how"):
        st.markdown(HOW)


def _table(found: Local) -> None:
    shown = [_row("everyone", found.overall, ""), *[_row(r.label, r, _mark(r, found.level)) for r in found.regions]]
    shown += [{"region": "mean of the regions", "gap": _cell(found.mean), "p": found.p},
              {"region": "largest gap", "gap": _cell(found.worst)},
              {"region": "mean of the three largest", "gap": _cell(found.worst_three)}] if found.regions else []
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(pd.DataFrame(shown), hide_index=True, height="content", key="audit-local-table", placeholder="",
                 alt="Regions with the gap between groups", column_config={
                     "region": text("Region", pinned=True, width="large"),
                     "gap": text("Gap (interval)", alignment="right", width=tables.WIDE),
                     "mark": text("Beyond chance"), "rates": text("Lowest and highest", width="large"),
                     "n": number("Rows", format="localized"), "share": number("Share", format="percent"),
                     "p": number("p", format="%.2g", help="That the groups are equal; adjusted by Holm for regions")})
    lines = [f"{count(found.n, 'row')} measured; {percent(found.covered)} lie in regions that count."]
    if found.left_out:
        told = [f"{plain(label, 100)} ({plain(why)})" for label, why in found.left_out[:6]]
        more = len(found.left_out) - len(told)
        lines.append(f"Left out: {'; '.join(told)}{f' and {more:,} more' if more else ''}.")
    st.caption(" ".join(lines))


def _row(label: str, region: Region, mark: str) -> dict[str, object]:
    rates = " and ".join(f"{clean(g, 60)} {_cell(region.rates[g])}" for g in region.groups)
    p = region.p if region.p_holm != region.p_holm else region.p_holm
    return {"region": clean(label, 200), "gap": _cell(region.gap), "mark": mark, "rates": rates, "n": region.n,
            "share": region.share, "p": p}


def _mark(region: Region, level: float) -> str:
    return "✕ a gap" if region.p_holm < 1 - level else "? cannot tell"


def _cell(value: Value) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "")
