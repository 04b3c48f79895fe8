"""Are there enough rows: what each group's rows can show, how many more it takes, rates that borrow strength."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import registry
from core.audit.enough import RATES, Enough, GroupRows, enough
from core.figures.audit import plot_shrunken
from core.metrics.words import inside
from core.types import BadInput
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, count, percent, plain

POWERS = {"80": "80 %", "90": "90 %"}
HOW = """
- **Chance to see it** (power): if the group's true rate were this far from everybody else's, how often would a
  two-sided test of both rates find the difference with the rows at hand? The level is corrected for the number of
  groups (Bonferroni). Source: Fleiss, Levin and Paik 2003.
- **Rows needed** are rows of the group beside the others' present rows. For rates within a part of the rows (true
  positive rate: the positives) they are reckoned up by the share of that part in the group. "No number" means that the
  others are too few: then they need more rows as well.
- **Borrowing strength**: a rate of 3 in 4 rows says little by itself. The groups' rates are taken to come from a common
  distribution, whose middle and spread are estimated from all groups (beta-binomial, Gelman et al., chapter 5). A small
  group is drawn towards the common rate, a large one keeps its own. This is a guess that groups are alike: it can hide
  a small group that is truly different, so the raw rate stands beside it and is what gaps are made of.
- **A gap that is not seen is not shown to be absent**: look at the smallest gap that could have been seen.
"""


def show(subject: Subject) -> None:
    """Controls, sentence, chart, table."""
    known = ("selection_rate",) if subject.rows.y is None else RATES if len(subject.rows.classes) == 2 else RATES[:1]
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-enough-asked"):
        name = query.choice("enrate", "Rate", list(known), words=lambda n: registry.metric(n).title, width=280)
        gap = query.whole("engap", "Gap that matters (points)", 1, 50, 10, width=200,
                          help="A difference between a group and everybody else that you would not want to miss.")
        power = query.choice("enpower", "Chance to see it", list(POWERS), words=lambda k: POWERS[k], kind="segmented")
    try:
        found = audit_held.computed(subject, f"enough:{subject.model}:{name}:{gap}:{power}", lambda: enough(
            subject.rows, subject.model, name, gap / 100, int(power) / 100))
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    st.markdown(said(found))
    _table(found)
    st.subheader("Rates that borrow strength", anchor=False)
    title = registry.metric(name).title
    table = _frame(found)
    charts.show(lambda: plot_shrunken(table, title=title, common=found.common), "audit-shrunken",
                f"{title} of every group: raw, and drawn towards the common rate",
                same=f"shrunk:{subject.key}:{subject.model}:{name}")
    st.caption("Hollow: the group's own rate. Filled, with its interval: with strength borrowed from the other groups. "
               "Dashed: the common rate." + (f" Groups differ around it by {percent(found.spread)} (standard "
                                             "deviation)." if np.isfinite(found.spread) else ""))
    with st.expander("How is this computed", key="how-enough"):
        st.markdown(HOW)


def said(found: Enough) -> str:
    """In how many groups a gap would be seen, and which need most."""
    name, gap = plain(inside(registry.metric(found.slug).title)), f"{100 * found.gap:g} points"
    known = [g for g in found.groups if np.isfinite(g.power)]
    if not known:
        return f"No group has rows behind the {name} and a rate of the others to compare with."
    seen = [g for g in known if g.power >= found.power]
    head = (f"**A gap of {gap} in the {name} would be seen with a chance of {found.power:.0%} in "
            f"{len(seen):,} of {count(len(found.groups), 'group')}.**")
    short = sorted((g for g in known if g.power < found.power), key=lambda g: g.power)
    if not short:
        return head
    worst = short[0]
    more = ("no number of its own rows is enough: the others are too few as well" if np.isinf(worst.needed) else
            f"it takes {count(worst.needed, 'row')}")
    return f"{head} In {plain(worst.group, 60)} the chance is {worst.power:.0%} with {count(worst.n, 'row')}; {more}."


def _frame(found: Enough) -> pd.DataFrame:
    return pd.DataFrame([{
        "group": clean(g.group), "raw": g.raw.value, "value": g.shrunken.value, "low": g.shrunken.low,
        "high": g.shrunken.high, "text": f"{_cell(g.shrunken)}; raw {_cell(g.raw)}, {count(g.behind, 'row')}"}
        for g in found.groups])


def _cell(value: object) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "")  # type: ignore[attr-defined]


def _needed(g: GroupRows) -> str:
    if np.isnan(g.needed):
        return "undefined"
    return "no number" if np.isinf(g.needed) else f"{g.needed:,.0f}"


def _table(found: Enough) -> None:
    rows = [{"group": clean(g.group), "n": g.n, "behind": g.behind, "raw": _cell(g.raw), "borrowed": _cell(g.shrunken),
             "least": "none" if np.isnan(g.least) else f"{100 * g.least:.1f} points", "power": g.power,
             "needed": _needed(g), "mark": "✓ enough" if g.power >= found.power else "✕ too few"
             if np.isfinite(g.power) else "– undefined"} for g in found.groups]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-enough-table",
                 alt="Every group with what its rows can show", column_config={
                     "group": text("Group", pinned=True), "n": number("Rows", format="localized"),
                     "behind": number("Behind the rate", format="%.0f", help="(Effective) rows that the rate is of"),
                     "raw": text("Rate", alignment="right", width=tables.WIDE),
                     "borrowed": text("Borrowing strength", alignment="right", width=tables.WIDE),
                     "least": text("Smallest gap it can show", alignment="right"),
                     "power": number("Chance to see the gap", format="percent"),
                     "needed": text("Rows needed", alignment="right", help="Rows of this group beside the others' "
                                                                           "present rows"),
                     "mark": text("For the gap asked")})
