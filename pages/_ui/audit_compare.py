"""Two models on the same rows: who gains, who loses, and what happens to the gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import registry
from core.audit.compare import Comparison, Line, compare
from core.figures.audit import plot_differences
from core.metrics.measure import parse
from core.metrics.words import inside
from core.types import BadInput
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, plain

HOW = """
- **The same rows for both models.** Most rows are decided alike by both; only those that are not say anything about the
  difference. That is why it is surer than two intervals side by side suggest.
- **Rates whose rows do not depend on the model** (accuracy, TPR, FPR, selection rate): Newcombe's paired interval
  (1998, method 10) and McNemar's exact test (mid-p).
- **Areas under the ROC curve**: DeLong's covariance of both areas.
- **Everything else** (PPV, F1, gaps, the worst group): the joint table of truth and both decisions is drawn again
  2,000 times, groups keeping their sizes. With several rows of a person, persons are drawn.
- **Several groups at once**: p-values are Holm's over the groups. "Cannot tell" means that chance could make the
  difference, not that there is none.
"""


def show(subject: Subject) -> None:
    """Sentence, chart, table, gaps."""
    if subject.other is None:
        st.info("Choose a second model above to compare with.")
        return
    a, b = subject.other, subject.model
    try:
        found: Comparison = audit_held.computed(subject, f"compare:{a}:{b}", lambda: compare(subject.rows, a, b))
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    names = list(dict.fromkeys(line.slug for line in found.lines))
    name = query.choice("cmp", "Rate", names, words=lambda n: registry.metric(n).title, width=320,
                        help="What is compared between the two models.")
    metric, lines = registry.metric(name), [line for line in found.lines if line.slug == name]
    first, second = (plain(found.names[k], 80) for k in (1, 0))
    st.markdown(f"**{first}** against **{second}**: " + said(lines, metric.title))
    share = metric.bounds[1] == 1.0
    charts.show(lambda: plot_differences(_frame(lines, share), title=f"{metric.title}: difference", share=share),
                "audit-compare", f"Difference of the {inside(metric.title)} between the models in every group",
                same=f"cmp:{subject.key}:{a}:{b}:{name}")
    st.caption("Right of zero: the first model has more. Filled: the interval leaves zero out.")
    _table(found, lines, share)
    if found.between:
        with st.expander("What happens to gaps and worst groups", expanded=True, key="audit-compare-gaps"):
            _between(found)
    with st.expander("How is this computed", key="how-compare"):
        st.markdown(HOW)


def said(lines: list[Line], title: str) -> str:
    """Who gains and who loses beyond chance, in a sentence."""
    groups = lines[:-1]  # the last is everyone
    better, worse = ([g for g in groups if g.better is side] for side in (True, False))
    known = [g for g in groups if g.difference.undefined is None]
    if not known:
        return f"the {plain(inside(title))} is not defined in any group."
    parts = [f"{word} for {_named(part)}" for word, part in (("better", better), ("worse", worse)) if part]
    apart = [g for g in known if g.better is None and g.p_holm < 0.05]
    if not parts and apart:
        parts = [f"different for {_named(apart)}"]
    if not parts:
        return f"no difference of the {plain(inside(title))} in any group that chance could not make."
    rest = len(known) - len(better) - len(worse) - (len(apart) if not better and not worse else 0)
    tail = f"; for the other {rest:,} chance could make the difference" if rest else ""
    return f"{plain(inside(title))} " + " and ".join(parts) + tail + "."


def _named(lines: list[Line]) -> str:
    each = [f"{plain(g.group, 60)} ({100 * g.difference.value:+.1f} points)" for g in
            sorted(lines, key=lambda g: -abs(g.difference.value))]
    return ", ".join(each[:4]) + (f" and {len(each) - 4:,} more" if len(each) > 4 else "")


def _frame(lines: list[Line], share: bool) -> pd.DataFrame:
    return pd.DataFrame([{"label": clean(g.group), "value": g.difference.value, "low": g.difference.low,
                          "high": g.difference.high, "text": _cell(g, share),
                          "clear": bool(g.difference.low > 0 or g.difference.high < 0)} for g in lines])


def _cell(line: Line, share: bool) -> str:
    d = line.difference
    return tables.cell(d.value, d.low, d.high, d.undefined or "", share=share)


def _table(found: Comparison, lines: list[Line], share: bool) -> None:
    verdict = {True: "✓ better", False: "✕ worse", None: "? cannot tell"}
    changed = dict(found.changed)
    rows = [{"group": clean(g.group), "n": g.n, "first": tables.cell(g.b, np.nan, np.nan, "", share=share),
             "second": tables.cell(g.a, np.nan, np.nan, "", share=share), "difference": _cell(g, share),
             "p": g.p if g is lines[-1] else g.p_holm,
             "verdict": "– undefined" if g.difference.undefined else verdict[g.better] if
             registry.metric(g.slug).higher_is_better is not None else "≠ differs" if g.p_holm < 0.05 else
             "? cannot tell",
             "changed": _changed(changed, g.group)} for g in lines]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-compare-table",
                 alt="The rate of both models in every group, with the difference", column_config={
                     "group": text("Group", pinned=True), "n": number("Rows", format="localized"),
                     "first": text(clean(found.names[1], 60), alignment="right"),
                     "second": text(clean(found.names[0], 60), alignment="right"),
                     "difference": text("Difference (interval)", alignment="right", width=tables.WIDE),
                     "p": number("p (Holm)", format="%.3f", help="Of no difference; corrected for the groups looked "
                                                                 "at (not for everyone)"),
                     "verdict": text("First model"),
                     "changed": text("Decided otherwise", alignment="right", width=tables.WIDE,
                                     help="Share of the group's rows that the two models decide differently")})


def _changed(changed: dict, group: str) -> str:
    value = changed.get(group)
    return "" if value is None else tables.cell(value.value, value.low, value.high, "")


def _between(found: Comparison) -> None:
    rows = []
    for one in found.between:
        measure = parse(one.key)
        share = measure.bounds[1] <= 1.0
        rows.append({"measure": measure.title, "first": tables.cell(one.b, np.nan, np.nan, "", share=share),
                     "second": tables.cell(one.a, np.nan, np.nan, "", share=share),
                     "difference": tables.cell(one.difference.value, one.difference.low, one.difference.high, "",
                                               share=share)})
    text = st.column_config.TextColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-compare-between",
                 alt="Gaps and worst groups of both models", column_config={
                     "measure": text("Between groups", pinned=True),
                     "first": text(clean(found.names[1], 60), alignment="right"),
                     "second": text(clean(found.names[0], 60), alignment="right"),
                     "difference": text("Difference (interval)", alignment="right", width=tables.WIDE)})
