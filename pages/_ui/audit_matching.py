"""Would a like person of another group be treated the same: pairs of like people, and what is left of the gap."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.audit.matching import ORDERS, Matching, match, match_outcomes
from core.figures.audit import plot_differences
from core.figures.matching import balance_table, plot_balance
from core.types import BadInput
from pages._ui import audit_held, audit_lending, audit_matching_words, audit_pair, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.audit_pair import points, signed
from pages._ui.text import clean, percent, plain

CUTS = {"10": "0.1", "20": "0.2", "50": "0.5"}


def show(subject: Subject) -> None:
    """Answer, chart, controls, numbers, balance."""
    answer, drawing = st.container(), st.container()
    try:
        found = _asked(subject)
    except BadInput as refused:
        answer.info(plain(refused, 400))
        return
    scale = 1.0 if found.counted == "score" else 100.0
    with answer:
        st.markdown(audit_matching_words.said(subject, found, scale))
        st.caption(audit_matching_words.CAVEAT)
    with drawing:
        title = "Difference, percentage points" if scale == 100 else "Difference of the score"
        charts.show(lambda: plot_differences(_drawn(found, scale), title=title, share=scale == 100),
                    "audit-match-chart", "The difference among everybody and within pairs of like people")
    _numbers(found)
    st.subheader("Are the pairs alike?", anchor=False)
    charts.show(lambda: plot_balance(balance_table(found)), "audit-match-balance",
                "How far the groups are apart in every feature, before matching and in pairs")
    st.caption("Beyond the dashed lines, a tenth of a standard deviation, pairs are not alike in that feature. These "
               "describe the people at hand, so they have no interval.")
    _balance(found)
    notes = [plain(n, 200) for n in found.notes]
    notes += [f"Left out: {plain(name, 60)} ({plain(reason, 80)})." for name, reason in found.left_out[:8]]
    if notes:
        st.caption(" ".join(notes))
    with st.expander("See it where the truth is known: a simulated lender", key="audit-match-lender"):
        audit_lending.show()
    with st.expander("How is this computed?", key="audit-match-how"):
        st.markdown(audit_matching_words.HOW)


def _asked(subject: Subject) -> Matching:
    """The controls, and the pairs they ask for."""
    names = [str(c) for c in subject.rows.features.columns]
    places = {str(k): clean(name, 60) for k, name in enumerate(names)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-match-set"):
        pick = audit_pair.chosen(subject, "match", match_outcomes(subject.rows, subject.model))
    left = query.several("match_without", "Not matched on", list(places), words=places.get,
                         help="Leave out what the group itself may have changed, or what only names a person.")
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-match-more"):
        exact = query.several("match_exact", "Must be equal", [k for k in places if k not in left],
                              words=places.get, help="Numbers: in the same fifth.", width=320)
        order = query.choice("match_by", "Partner", list(ORDERS), words=lambda k: ORDERS[k].capitalize(), width=320)
        cut = query.choice("match_cut", "Caliper", list(CUTS), default="20", width=110, words=CUTS.get,
                           help="Largest difference of the propensity's logit, in its standard deviations.")
        again = query.flag("match_again", "Partners may be used again")
    features = [names[int(k)] for k in places if k not in left and k not in exact]
    must = [names[int(k)] for k in exact]
    what = f"match:{subject.model}:{pick}:{left}:{exact}:{order}:{cut}:{again}"
    return audit_held.computed(subject, what, lambda: match(
        subject.rows, subject.model, pick.outcome, pick.first, pick.second, features, must, order=order,
        caliper=int(cut) / 100, replace=again))


def _drawn(found: Matching, scale: float) -> pd.DataFrame:
    shown = [("everybody", found.raw), ("pairs of like people", found.effect)]
    return pd.DataFrame([{"label": label, "value": v.value, "low": v.low, "high": v.high,
                          "text": points(v, scale=scale), "clear": v.low > 0 or v.high < 0} for label, v in shown])


def _numbers(found: Matching) -> None:
    """What the pairs are, in numbers."""
    gamma = found.gamma
    rows = [("Pairs", f"{len(found.rows):,} of {found.n_first:,} people found a partner ({percent(found.share)}) "
                      f"among {found.n_second:,}"),
            ("Overlap of the groups", f"{percent(found.overlap)} of the propensity scores' area (of these people, "
                                      "no interval)"),
            ("Pairs treated differently", _share(found.differ)),
            ("The same within one group", _share(found.same_group))]
    if not math.isnan(found.only_first):
        rows.append(("Only the first, only the second", f"{found.only_first:,.0f} and {found.only_second:,.0f} pairs"))
    rows.append(("Chance alone", f"{audit_pair.chance(found.p)} ({found.p_how})" if found.p_how else "undefined"))
    rows.append(("Could be undone by", f"odds {gamma.value:.2f} times as large (bound, no interval)"
                 if math.isfinite(gamma.value) else clean(f"undefined: {gamma.undefined}")))
    st.dataframe(pd.DataFrame(rows, columns=["what", "value"]), hide_index=True, height="content",
                 key="audit-match-numbers", alt="The pairs in numbers", column_config={
                     "what": st.column_config.TextColumn("Of the pairs", pinned=True),
                     "value": st.column_config.TextColumn("Found", width="large")})


def _share(value) -> str:
    return tables.cell(value.value, value.low, value.high, clean(value.undefined or ""))


def _balance(found: Matching) -> None:
    table = found.balance
    rows = [{"feature": clean(f), "value": clean(v), "before": _apart(b), "after": _apart(a)} for f, v, b, a in
            zip(table["feature"], table["value"], table["before"], table["after"], strict=True)]
    text = st.column_config.TextColumn
    with st.expander("Every feature", key="audit-match-features"):
        st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-match-table", column_config={
            "feature": text("Feature", pinned=True), "value": text("Value"),
            "before": text("Before", alignment="right"), "after": text("In pairs", alignment="right")},
            alt="Standardised mean difference of every feature")


def _apart(value: float) -> str:
    return signed(value, 2) if math.isfinite(value) else "undefined"
