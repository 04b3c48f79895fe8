"""Whether a score stands for the same chance in every group: reliability, recalibration lines, the spread of scores."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core.audit.calibration import Calibration, GroupCalibration, answer, calibration, meaning, reliability
from core.figures.audit import group_rates, plot_rates, plot_reliability
from core.figures.histogram import histogram_table, plot_histogram
from core.figures.theme import directed
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, plain

HOW = """
- **Reliability**: in every group the rows are cut into bins of about equally many rows; a bin's mean score is set
  against its share of positives, with Wilson's interval. Bins hold at least 20 rows.
- **In the large** = mean score − share of positives. Above 0 the scores are too high.
- **Slope and intercept** of the line logit P(positive) = a + b · logit(score), fitted in each group (Cox 1958). For
  scores that mean what they say b = 1 and a = 0; b below 1: the scores are too extreme; above 1: too timid. Intervals
  are sandwich intervals; rows of one person are taken together. *What a score stands for* is read off this line.
- **Do they mean the same?** Wald's test that one line serves all groups with enough rows. A line can miss what is not
  a line: look at the chart.
- **Calibration error** = Σ over 15 bins of equal mass of (share of rows) × |mean score − share of positives|
  (Nixon et al. 2019). With few rows it is above 0 by chance alone: *by chance* is what scores that mean what they say
  would show in these rows, and *corrected* has that taken off. The interval holds whatever the true error is, and is
  wider than it need be. p-values are adjusted for the number of groups (Holm 1979).
- **Limits**: calibrated scores can still treat people unlike (one score for a whole group is calibrated), and where
  shares of positives differ, calibration and equal error rates exclude each other (Kleinberg et al. 2017).
"""
DRAWN = 8  # groups that stay apart on a chart
POINTS = ("These scores are points: they say who comes first, not how likely something is, so what a point stands for "
          "cannot be checked. Below: how well they order the people of every group, and how they are spread.")


def show(subject: Subject) -> None:
    """Answer, chart, what a score stands for, numbers, spread."""
    output = subject.rows.models[subject.model]
    if output.score is None:
        st.info("No calibration of this model, because it gives predictions without scores.")
        return
    if not output.probability:
        st.info(POINTS)
        _order(subject)
        _spread(subject)
        return
    _probabilities(subject)
    _spread(subject)
    with st.expander("How is this computed", key="cal-how"):
        st.markdown(HOW)


def _probabilities(subject: Subject) -> None:
    found = audit_held.computed(subject, f"cal:{subject.model}", lambda: calibration(subject.rows, subject.model))
    said = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="cal-controls"):
        score = query.whole("calscore", "What a score of … % stands for", 1, 99, 50, width=260)
        bins = query.whole("calbins", "Bins of the chart", 2, 20, 10, width=160)
    with said:
        st.markdown("\n".join(f"- {plain(line, 600)}" for line in answer(found, score / 100)))
        table = audit_held.computed(subject, f"cal:bins:{subject.model}:{bins}",
                                    lambda: reliability(subject.rows, subject.model, bins))
        order = [clean(g) for g in subject.rows.groups.labels]
        drawn = {clean(g.label) for g in sorted(found.groups, key=lambda g: -g.n)[:DRAWN]}
        shown = table.assign(group=[clean(g) for g in table["group"]])
        shown = shown[shown["group"].isin(drawn)]
        charts.show(lambda: plot_reliability(shown, group_order=order), "cal-reliability",
                    "Share of positives against the mean score in every group and bin, with the diagonal",
                    same=f"cal:{subject.key}:{subject.model}:{bins}")
        if len(order) > DRAWN:
            st.caption(f"Drawn: the {DRAWN} groups with most rows; the table has all {len(order)}.")
    _numbers(found, score)
    _apart(found)


def _numbers(found: Calibration, score: int) -> None:
    stands = [*meaning(found, score / 100), None]
    rows = [{"group": clean(g.label), "n": g.n, "mean": f"{100 * g.mean_score:.1f} %", "share": _cell(g.share),
             "large": _cell(g.large), "stands": "" if v is None else _cell(v), "slope": _cell(g.slope, share=False),
             "error": _cell(g.error), "corrected": _chance(g), "p": _p(g.p_holm)}
            for g, v in zip((*found.groups, found.everyone), stands, strict=True)]
    text, wide = st.column_config.TextColumn, {"alignment": "right", "width": tables.WIDE}
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="cal-groups",
                 alt="Calibration of every group", column_config={
                     "group": text("Group", pinned=True, width="medium"),
                     "n": st.column_config.NumberColumn("Rows", format="localized"),
                     "mean": text("Mean score", alignment="right"), "share": text("Share of positives", **wide),
                     "large": text("In the large", help="Mean score minus share of positives", **wide),
                     "stands": text(f"A score of {score} % stands for", **wide),
                     "slope": text("Slope", help="1: as sure as they should be; below: too extreme", **wide),
                     "error": text("Calibration error", **wide),
                     "corrected": text("corrected; by chance", width=tables.WIDE, alignment="right",
                                       help="Without what chance adds; what chance alone would show"),
                     "p": text("p (Holm)", help="That chance alone makes an error as large", alignment="right")})


def _apart(found: Calibration) -> None:
    if not found.apart:
        return
    st.caption(f"Differences to the reference group, {plain(found.apart[0].reference)}:")
    rows = [{"group": clean(a.label), "large": _cell(a.large), "p_large": _p(a.p_large),
             "slope": _cell(a.slope, share=False), "p_slope": _p(a.p_slope)} for a in found.apart]
    text, wide = st.column_config.TextColumn, {"alignment": "right", "width": tables.WIDE}
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="cal-apart",
                 alt="Differences of calibration to the reference group", column_config={
                     "group": text("Group", pinned=True, width="medium"),
                     "large": text("In the large, difference", **wide), "p_large": text("p (Holm)", alignment="right"),
                     "slope": text("Slope, difference", **wide), "p_slope": text("p (Holm) ", alignment="right")})


def _order(subject: Subject) -> None:
    found = audit_held.audited(subject)
    if all(g.metrics["roc_auc"].undefined for g in found.groups):
        st.caption("No group has both outcomes, so the order cannot be judged.")
        return
    table = audit_held.computed(subject, f"rates:{subject.model}:roc_auc", lambda: group_rates(found, "roc_auc"))
    charts.show(lambda: plot_rates(table, title=directed("Area under the ROC curve", True), share=True), "cal-order",
                "Area under the ROC curve of every group with its interval", same=f"cal:{subject.key}:{subject.model}")


def _spread(subject: Subject) -> None:
    rows, output = subject.rows, subject.rows.models[subject.model]
    st.subheader("How the scores are spread", anchor=False)
    labels = [escape(clean(g, 60), quote=False) for g in rows.groups.labels]  # Plotly reads tags in texts
    table = audit_held.computed(subject, f"cal:spread:{subject.model}", lambda: histogram_table(
        np.asarray(output.score), np.asarray(rows.y), rows.groups.code, attr_labels=labels,
        classes=[escape(clean(c, 60), quote=False) for c in rows.classes], weight=rows.w))
    at = None if output.threshold is None else dict.fromkeys(labels, output.threshold)
    st.plotly_chart(plot_histogram(table, thresholds=at, group_order=labels), key="cal-spread",
                    alt="Histogram of scores in every group, by true class, with the threshold")


def _cell(value, share: bool = True) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "", share=share)


def _chance(group: GroupCalibration) -> str:
    return "" if group.error.undefined else f"{100 * group.corrected:.1f} %; {100 * group.chance:.1f} %"


def _p(p: float) -> str:
    return "" if not np.isfinite(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"
