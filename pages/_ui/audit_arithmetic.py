"""Could error rates and precision be equal in all groups at once? The arithmetic with the person's own numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.audit.impossibility import RATES, Impossibility, impossibility
from core.figures.audit import plot_rates, said
from core.types import BadInput, Value
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, count, percent, plain

HOW = """In every group, exactly: `FPR = p / (1 − p) · (1 − PPV) / PPV · TPR`, with p the group's base rate (the
share truly {positive}), PPV the precision, TPR and FPR the true and false positive rates. On these counts it holds to
within {residual}. Two groups with different base rates can therefore not share all three, unless nobody is wrongly
selected (PPV 1) or nobody rightly (TPR 0) (Chouldechova 2017; for calibrated scores Kleinberg, Mullainathan & Raghavan
2016, where the way out is perfect prediction).

Two of the rates are set to their value over everyone and the third is solved for. Its interval comes from
resampled rows, these targets resampled too; base rates have Wilson's intervals and their largest difference one of
pairs of groups (Newcombe). More than 100 % cannot be reached by any rule. The relation says what cannot be, not which
rate should give way: that depends on what a wrong yes and a wrong no do to people. Rates that are only nearly
equal are bound less: a difference within your bound may be reachable."""


def show(subject: Subject) -> None:
    """Answer, chart, control, table."""
    place = st.container()
    up = query.choice("arithmetic_gives", "Rate that gives way", list(RATES), words=RATES.get, default="fpr",
                      kind="segmented", help="The other two are set to their values over everyone.")
    try:
        found = audit_held.computed(subject, f"arithmetic:{subject.model}:{up}",
                                    lambda: impossibility(subject.rows, subject.model, up))
    except BadInput as e:
        place.info(plain(e, 400))
        return
    with place:
        st.markdown(_answer(found, subject))
        table = _needs_table(found)
        charts.show(lambda: plot_rates(table, title=f"{RATES[up]} that each group would need", overall=float(
            found.targets[up])), "arithmetic-needs", f"{RATES[up]} each group would need if the others were equal",
            same=f"arithmetic:{subject.key}:{subject.model}:{up}")
        st.caption(f"Dashed: the {RATES[up].lower()} over everyone. Set for all groups: "
                   + " and ".join(f"{RATES[s].lower()} {percent(found.targets[s])}" for s in RATES if s != up) + ".")
    _numbers(found)
    for label, reason in found.left_out:
        st.caption(f"Left out of the answer: {plain(label)} ({plain(reason)}).")
    with st.expander("How is this computed", key="arithmetic-how"):
        known = [abs(g.residual) for g in found.groups if np.isfinite(g.residual)]
        st.markdown(HOW.format(positive=plain(subject.rows.classes[1], 60),
                               residual=f"{max(known):.0e}" if known else "nothing to check, as no rate is defined"))


def _answer(found: Impossibility, subject: Subject) -> str:
    positive = plain(subject.rows.classes[1], 60)
    gap = found.base_gap
    if found.verdict == "one group":
        return "**There is nothing to make equal**, because fewer than two groups have enough rows."
    low, high = (plain(label) for label in found.between)
    rates = ", ".join(words.lower() for words in RATES.values())
    apart = (f"The share truly {positive} differs by {100 * gap.value:.1f} points ({100 * gap.low:.1f} to "
             f"{100 * gap.high:.1f}) between {low} and {high}")
    if found.verdict == "free":
        up = percent(found.false_positives.high)
        return (f"**Yes, as long as nobody is wrongly selected.** Here nobody was, though beyond these rows up to {up} "
                f"of the selected may be. {apart}.")
    if found.verdict == "nobody":
        return f"**Only in the empty sense**: nobody truly {positive} is selected in any group. {apart}."
    if found.verdict == "cannot tell":
        return (f"**The rows at hand cannot rule it out.** {apart}; chance alone could make this difference, and with "
                f"equal shares the {rates} can all be equal.")
    wrong = found.false_positives
    head = (f"**No: {rates} cannot all be equal here.** {apart}, more than chance explains, and "
            f"{percent(wrong.value)} ({100 * wrong.low:.1f}–{100 * wrong.high:.1f}) of the selected are selected "
            "wrongly.")
    return head + _price(found)


def _price(found: Impossibility) -> str:
    needs, up = found.needs_gap, RATES[found.given_up].lower()
    others = " and ".join(words.lower() for slug, words in RATES.items() if slug != found.given_up)
    if needs.undefined:
        return f" What the {up} would have to be is undefined, because {plain(needs.undefined)}."
    tail = (f" With {others} equal, the {up} would have to differ by {100 * needs.value:.1f} points "
            f"({100 * needs.low:.1f} to {100 * needs.high:.1f}).")
    if found.impossible:
        tail += (f" For {count(len(found.impossible), 'group')} not even that is possible, as more than 100 % would be "
                 f"needed: {plain(', '.join(found.impossible), 200)}.")
    return tail


def _needs_table(found: Impossibility) -> pd.DataFrame:
    return pd.DataFrame([{"group": clean(g.label), "value": g.needs.value, "low": g.needs.low, "high": g.needs.high,
                          "n": g.n, "small": g.small, "undefined": g.needs.undefined or "",
                          "text": said(g.needs.value, g.needs.low, g.needs.high, g.needs.undefined, g.n)}
                         for g in found.groups])


def _numbers(found: Impossibility) -> None:
    text = st.column_config.TextColumn
    lines = [{"group": clean(g.label), "n": g.n, "base": _cell(g.base),
              **{slug: _cell(g.rates[slug]) for slug in RATES}, "needs": _cell(g.needs)} for g in found.groups]
    config = {slug: text(f"{words} now", alignment="right", width=tables.WIDE) for slug, words in RATES.items()}
    config |= {"group": text("Group", pinned=True, width="medium"),
               "base": text("Base rate", alignment="right", width=tables.WIDE),
               "needs": text(f"{RATES[found.given_up]} needed", alignment="right", width=tables.WIDE)}
    st.dataframe(pd.DataFrame(lines), hide_index=True, height="content", key="arithmetic-table",
                 alt="Base rate, rates now and the rate needed in every group", column_config={
                     **config, "n": st.column_config.NumberColumn("Rows", format="localized")})


def _cell(value: Value) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "")
