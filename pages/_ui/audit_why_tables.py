"""The tables of "why do the groups differ": every feature as a reason, the parts of one, and what was left out."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.audit.why import Reason, Why
from pages._ui import query, tables
from pages._ui.audit_held import Subject
from pages._ui.audit_pair import chance, points, share
from pages._ui.text import clean, plain


def label(reason: Reason) -> str:
    """The feature, or both of a pair, for tables and charts."""
    return clean(" with ".join(reason.names), 80)


def features(found: Why) -> None:
    """Every feature with the split of the difference."""
    if not found.reasons:
        return
    rows = [{"feature": label(r), "share": share(r.share), "within": points(r.standardised),
             "p": chance(r.p_holm), "turned": _turned(r), "composition": points(r.composition),
             "rate": points(r.rate), "outside": points(r.outside), "crossing": chance(r.crossing_holm),
             "common": 100 * r.common}
            for r in found.reasons]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    wide = {"alignment": "right", "width": tables.WIDE + 20}
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-why-features", column_config={
        "feature": text("Feature", pinned=True, width="medium"), "share": text("Explained", **wide),
        "within": text("Left within parts, points", **wide), "composition": text("Composition", **wide),
        "rate": text("Rate", **wide), "outside": text("Outside", **wide),
        "p": text("Explains nothing", help="p-value that the composition explains nothing, adjusted over all rows"),
        "turned": text("Turns around", width="medium"),
        "crossing": text("One sign in all parts", help="p-value, adjusted; small: parts truly differ in sign"),
        "common": number("In parts with both groups", format="%.0f %%")}, alt="Every feature as a reason")


def _turned(reason: Reason) -> str:
    return f"in {reason.turned} parts, {chance(reason.turn_holm)}" if reason.turned else "no"


def parts(subject: Subject, found: Why) -> None:
    """The parts of one feature."""
    names = {"+".join(r.names): r for r in found.reasons}
    key = query.choice("why_feature", "Parts of", list(names), words=lambda k: label(names[k]), width=320)
    one, other = (clean(subject.rows.groups.labels[g], 60) for g in (found.first, found.second))
    rows = [{"part": clean(s.label), "n_first": s.n_first, "n_second": s.n_second, "first": _rate(s.rate_first),
             "second": _rate(s.rate_second), "difference": points(s.difference), "share": 100 * s.share}
            for s in names[key].strata]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-why-parts", column_config={
        "part": text("Part", pinned=True, width="medium"), "n_first": number(f"Rows, {one}", format="localized"),
        "n_second": number(f"Rows, {other}", format="localized"), "first": text(f"Rate, {one}", alignment="right"),
        "second": text(f"Rate, {other}", alignment="right"),
        "difference": text("Difference, points", alignment="right", width=tables.WIDE + 20),
        "share": number("Weight", format="%.1f %%", help="Its people among all, by which it counts")},
        alt="The parts of the chosen feature with both rates")


def _rate(rate: float) -> str:
    return f"{100 * rate:.1f} %" if math.isfinite(rate) else "nobody"


def notes(found: Why) -> None:
    """What was left out, and what else must be known."""
    out = "; ".join(f"{plain(name, 60)} ({plain(reason, 80)})" for name, reason in found.left_out[:8])
    more = f" and {len(found.left_out) - 8} more" if len(found.left_out) > 8 else ""
    lines = [*map(plain, found.notes), *([f"Left out: {out}{more}."] if out else [])]
    if lines:
        st.caption(" ".join(lines))
