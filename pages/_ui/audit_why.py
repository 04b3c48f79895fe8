"""Why do two groups differ: what is left of the difference within parts of each feature, and what turns around."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.audit.strata import outcomes_of
from core.audit.why import Reason, Why, why
from core.figures.audit import plot_differences
from core.types import BadInput
from pages._ui import audit_goes_with, audit_held, audit_pair, audit_why_tables, charts, query
from pages._ui.audit_held import Subject
from pages._ui.audit_pair import chance, points
from pages._ui.text import plain

DRAWN = 12
HOW = """
- **Parts**: a feature with many numbers is cut into parts of about equal size, rare words are merged, and what is
  missing is a part of its own. Within a part, people of both groups are compared (Newcombe's interval).
- **Within parts**: the mean of those differences, each part counting with the people of both groups together
  (direct standardisation; Newcombe's interval carried over the parts, Zou, Donner 2008; the weights count as known).
- **The split** (Kitagawa 1955): *difference = composition + rate + outside*, exactly. With shares `s` and rates `r` of
  a part, composition is `Σ (s₁ − s₂) (r₁ + r₂) / 2`, rate is `Σ (s₁ + s₂) / 2 · (r₁ − r₂)`, and outside is what parts
  with people of one group alone add (Ñopo 2008). Their intervals are linearised.
- **Explained** is composition divided by the difference. It may pass 100 % or be negative.
- **Turns around** (Simpson's paradox): most people are in parts whose difference has the other sign. It is larger than
  chance when both the difference and the one within parts are, in opposite directions.
- **p-values** are adjusted over everything in the table (Holm 1979). Signs that differ between parts: Gail, Simon 1985.
  "Explains nothing" is a careful test: a feature that has to do with neither group nor outcome is called a reason in
  fewer than one of a hundred tables.
- **Limits.** Explained is not excused: a feature may itself be the work of unequal treatment (who is sent to which
  department), or stand in for the group. What nobody recorded explains nothing here. Features are looked at one by one,
  or two by two; they may explain the same part of the difference. Weights and rows of one person are counted.
- The question of reversals and small parts: Xu, Liu, Ai 2026, Conditional Hypothesis Generation.
"""


def show(subject: Subject) -> None:
    """Answer, chart, controls, tables."""
    answer, drawing = st.container(), st.container()
    try:
        with st.container(horizontal=True, vertical_alignment="bottom", key="audit-why-set"):
            pick = audit_pair.chosen(subject, "why", outcomes_of(subject.rows, subject.model))
            parts = query.whole("why_parts", "Parts of a number", 2, 10, 5, width=150)
            crossed = query.flag("why_pairs", "Also two features at once", help="All pairs among the four that "
                                 "explain most; every pair makes the adjusted p-values larger.")
        what = f"why:{subject.model}:{pick}:{parts}:{crossed}"
        found: Why = audit_held.computed(subject, what, lambda: why(
            subject.rows, subject.model, pick.outcome, pick.first, pick.second, parts=parts,
            crossed=4 if crossed else 0, among=pick.among))
    except BadInput as refused:
        answer.info(plain(refused, 400))
        return
    with answer:
        st.markdown(said(subject, found))
    with drawing:
        charts.show(lambda: plot_differences(_drawn(found), title="Difference, percentage points"), "audit-why-chart",
                    "The difference as it is, and within the parts of each feature", same=f"{subject.key}:{what}")
        st.caption("First as it is, then within the parts of each feature, those first that explain most. Filled: the "
                   "interval leaves zero out.")
    audit_why_tables.features(found)
    if found.reasons:
        audit_why_tables.parts(subject, found)
    audit_why_tables.notes(found)
    with st.expander("Which words and values go with it?", key="audit-why-goes"):
        if query.flag("why_goes", "Look for them", help="Takes a second or two."):
            audit_goes_with.show(subject, pick)
    with st.expander("How is this computed?", key="audit-why-how"):
        st.markdown(HOW)


def said(subject: Subject, found: Why) -> str:
    """The answer: the difference, what explains most of it, what turns around."""
    raw, level = found.raw, subject.rows.spec.level
    lines = [audit_pair.compared(subject, found.first, found.second, raw, found.outcome.counted, found.outcome.whom)]
    if raw.low <= 0 <= raw.high:
        lines.append("Chance alone could make this difference: there may be nothing to explain.")
    sure = [r for r in found.reasons if r.p_holm < 1 - level]
    if not found.reasons:
        lines.append("No feature has parts within which the groups could be compared.")
    elif not sure:
        lines.append(f"No feature surely has anything to do with it ({len(found.reasons):,} looked at).")
    else:
        lines.append(_best(min(sure, key=lambda r: len(r.names))))
    turned = sorted((r for r in found.reasons if r.turned), key=lambda r: (len(r.names), r.turn_holm))
    for reason in turned[:2]:
        lines.append(_turn(reason, level))
    return " ".join(lines)


def _best(reason: Reason) -> str:
    name, share = _name(reason), reason.share
    helps = share.value >= 0 if math.isfinite(share.value) else True
    if math.isfinite(share.value) and helps:
        head = f"**{name}** accounts for {audit_pair.share(share)} of it: the groups lie differently over its parts"
    elif helps:
        head = f"**{name}** moves it most: the groups lie differently over its parts"
    else:
        head = f"**{name}** hides a part of it: by its parts alone the difference would go the other way"
    return f"{head}; within them {points(reason.standardised)} points are left."


def _turn(reason: Reason, level: float) -> str:
    most = "In all parts" if reason.turned == "all" else f"In parts with {100 * reason.against:.0f} % of the people"
    sure = reason.turn_holm < 1 - level
    end = "more than chance explains" if sure else "chance alone could do this"
    return f"{most} of **{_name(reason)}** the difference turns around ({chance(reason.turn_holm)}: {end})."


def _name(reason: Reason) -> str:
    return " with ".join(plain(name, 60) for name in reason.names)


def _drawn(found: Why) -> pd.DataFrame:
    shown = [("as it is", found.raw)]
    shown += [(f"within {audit_why_tables.label(r)}", r.standardised) for r in found.reasons[:DRAWN]]
    return pd.DataFrame([{"label": label, "value": v.value, "low": v.low, "high": v.high, "text": points(v),
                          "clear": not v.low <= 0 <= v.high} for label, v in shown])
