"""Where is it worst: slices of people found by search and confirmed on other rows, and gaps in every region."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.slices import Side, Slices, find_slices, measures_of, said
from core.figures.audit import plot_differences
from core.types import BadInput, Value
from pages._ui import audit_held, audit_slices_local, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, count, plain

TITLES = {"accuracy": "Predicted right", "error": "Predicted wrongly", "tpr": "True positive rate",
          "fpr": "False positive rate", "selection": "Predicted positive"}
AGAINST = {"rest": "everybody else", "all": "everyone"}
HOW = """
- **Slices** are conditions on features and attributes that hold together. Numbers and dates are cut into parts of about
  equal size, rare words are merged, and what is missing is a part of its own. Every slice with enough rows is counted
  (Koudounas et al. 2024: share of rows at least 3 %).
- **Two halves.** The search sees one random half of the rows (all rows of a person lie in one half). Slices are ranked
  by the end of the interval of `rate(slice) − rate(rest)` that is nearest to zero, so that a few rows cannot win by
  luck. The best of thousands look worse than they are, so those listed are tested again on the other half.
- **Confirmed**: the difference on the other half, in the direction found, is larger than chance among all listed
  (one-sided likelihood-ratio test, Holm 1979). Without any signal at most about 5 of 100 searches confirm anything.
- **Left off**: a further condition that does not change the difference by a tenth and beyond chance, and slices whose
  people are in a worse slice already (these rules are ours). Also slices that do not stand out from their interval.
- **Intervals** are Newcombe's, one by one. With weights, and with rows of one person, they use effective rows. In the
  search half p-values of persons use one factor for all slices.
- **Limits.** What is not confirmed may still be true: a half holds few rows of a small slice. A slice tells where, not
  why; its conditions are no causes. Parts of numbers have fixed edges, so a slice may be wider than the trouble.
"""


def show(subject: Subject) -> None:
    """Answer, chart, controls, table; then the regions."""
    answer, drawing = st.container(), st.container()
    measures = measures_of(subject.rows, subject.model)
    if not measures:
        st.info("No slices, because there are no decisions: give a threshold.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-slices-set"):
        measure = query.choice("sl_of", "Measure", list(measures), words=lambda k: TITLES[k], width=220)
        most = query.whole("sl_most", "Conditions", 1, 3, 3, width=130, help="How many may hold together in a slice.")
        least = query.whole("sl_least", "Least share (%)", 1, 50, 3, width=150,
                            help="Slices hold at least this share of the rows that the measure speaks of.")
        against = query.choice("sl_vs", "Compared with", list(AGAINST), words=lambda k: AGAINST[k], width=190)
    what = f"slices:{subject.model}:{measure}:{most}:{least}:{against}"
    try:
        found: Slices = audit_held.computed(subject, what, lambda: find_slices(
            subject.rows, subject.model, measure, conditions=most, share=least / 100, against=against))
    except BadInput as refused:
        answer.info(plain(refused, 400))
    else:
        with answer:
            head, *rest = said(found)
            st.markdown("\n\n".join([f"**{plain(head, 600)}**", *[plain(line, 400) for line in rest]]))
        with drawing:
            _drawn(subject, found, what)
        _table(found)
    audit_slices_local.show(subject)
    with st.expander("How is this computed?", key="audit-slices-how"):
        st.markdown(HOW)


def points(value: Value) -> str:
    """ "-15.0 (-19.0 to -11.2)" in percentage points."""
    if value.undefined is not None:
        return f"undefined, {value.undefined}"
    return f"{100 * value.value:+.1f} ({100 * value.low:+.1f} to {100 * value.high:+.1f})"


def _drawn(subject: Subject, found: Slices, what: str) -> None:
    """The differences on the rows that the search did not see."""
    if not found.slices:
        return
    rows = [{"label": clean(s.label, 160), "value": s.held_out.divergence.value, "low": s.held_out.divergence.low,
             "high": s.held_out.divergence.high, "text": points(s.held_out.divergence), "clear": s.confirmed}
            for s in found.slices]
    title = f"Difference to {AGAINST[found.against]}, percentage points, on rows that the search did not see"
    charts.show(lambda: plot_differences(pd.DataFrame(rows), title=title), "audit-slices-chart",
                "The difference of every slice listed, with its interval", same=f"{subject.key}:{what}")
    st.caption("In the order of the search. Filled: confirmed. Hollow: chance alone could make it.")


def _table(found: Slices) -> None:
    if found.slices:
        rows = [{"slice": clean(s.label, 200), "mark": "✓ confirmed" if s.confirmed else "? not confirmed",
                 "share": s.share, **_side("out", s.held_out), **_side("in", s.search)} for s in found.slices]
        text, number = st.column_config.TextColumn, st.column_config.NumberColumn
        config = {"slice": text("Slice", pinned=True, width="large"), "mark": text("On other rows"),
                  "share": number("Share", format="percent", help="Of the rows of the search half (weighted)")}
        for half, words in (("out", "held out"), ("in", "search")):
            config |= {f"{half}_n": number(f"Rows, {words}", format="localized"),
                       f"{half}_rate": text(f"Rate, {words}", alignment="right", width=tables.WIDE),
                       f"{half}_rest": text(f"{AGAINST[found.against].capitalize()}, {words}", alignment="right",
                                            width=tables.WIDE),
                       f"{half}_d": text(f"Difference, {words}", alignment="right", width=tables.WIDE),
                       f"{half}_p": number(f"p, {words}", format="%.2g", help="Adjusted by Holm: over all slices "
                                           "in the search, over those listed on the other rows")}
        st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-slices-table",
                     alt="Slices with both halves", column_config=config, placeholder="undefined")
    st.caption(f"{count(found.looked_at, 'slice')} had enough rows; {found.redundant:,} that stood out say nothing new "
               f"and are left off. Search: {count(found.n_search, 'row')}; held out: {found.n_held_out:,}.")
    if found.left_out:
        st.caption("Columns left out: " + "; ".join(f"{plain(name, 60)} ({plain(why, 100)})"
                                                    for name, why in found.left_out) + ".")


def _side(half: str, side: Side) -> dict[str, object]:
    def rate(v: Value) -> str:
        return tables.cell(v.value, v.low, v.high, v.undefined or "")
    return {f"{half}_n": side.n, f"{half}_rate": rate(side.rate), f"{half}_rest": rate(side.rest),
            f"{half}_d": points(side.divergence), f"{half}_p": side.p_holm}
