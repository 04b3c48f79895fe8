"""How unequal people are, not groups alone: the spread of what each person gets, alike people, and the odds."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.individual import BENEFITS, Individual, individual, kinds
from core.audit.inequality import ACROSS, INDICES
from core.audit.sentences import adjusted
from core.figures.audit import plot_rates
from core.figures.theme import directed
from core.types import BadInput, Value
from pages._ui import audit_held, audit_people_alike, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, percent, plain

PARTS = {"spread": "What each person gets", "alike": "Alike people", "odds": "Against the odds"}
TITLES = {"benefit": "Prediction against truth", "correct": "Being predicted right", "score": "Score of the truth"}
EPS, ALPHAS = ("0.25", "0.5", "1", "2"), ("0", "0.5", "1", "2", "3")
SUMMED = {"theil": "Theil (adds up)", "entropy": "Generalised entropy (adds up)", "atkinson": "Atkinson (multiplies)"}
HOW = """A benefit is at least 0, and more is better for the person if being {positive} is good for them:
prediction − truth + 1 is 0 for those wrongly refused, 1 for those treated as is true, 2 for those wrongly accepted
(Speicher et al. 2018). μ is the mean benefit.

`Gini = Σᵢⱼ |bᵢ − bⱼ| / (2 n² μ)` · `CV = SD / μ` · `Theil = E[b/μ · log(b/μ)]`
`GE(α) = (E[(b/μ)^α] − 1) / (α (α − 1))` · `Atkinson(ε) = 1 − E[b^(1−ε)]^(1/(1−ε)) / μ`

Theil and GE are the sum of a part within groups and one between their means; for Atkinson 1 − A is a product, with the
groups' equally distributed equivalents between (Shorrocks 1980; Blackorby et al. 1981). Measures over the groups' means
count every group once, but KL (each group's share of all benefits against its share of people) and F
(Rampisela et al. 2025). Intervals: {how}, within groups. Differences between groups are never below 0, so they come
with what chance alone gives: what alike groups stay below in {level} of resampled worlds. All these numbers are silent
on whether a spread is just."""


def show(subject: Subject) -> None:
    """One of the three views."""
    offered = list(PARTS) if len(subject.rows.features.columns) else ["spread"]
    several = len(offered) > 1
    part = query.choice("people_part", "View", offered, words=PARTS.get, kind="segmented") if several else "spread"
    try:
        {"spread": spread, "alike": audit_people_alike.alike_people, "odds": audit_people_alike.odds}[part](subject)
    except BadInput as e:
        st.info(plain(e, 400))
    if not several:
        st.caption("No views of alike people and of the odds, because there are no columns that tell people apart.")


def spread(subject: Subject) -> None:
    """Inequality of the benefits: sentence, chart, controls, tables."""
    rows, there = subject.rows, kinds(subject.rows, subject.model)
    if not there:
        st.info("No benefit can be counted, because there are scores without a threshold.")
        return
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="people-settings"):
        kind = query.choice("people_benefit", "Benefit", there, words=TITLES.get, width=240,
                            help="; ".join(f"{TITLES[k]}: {BENEFITS[k]}" for k in there))
        index = query.choice("people_index", "Index", list(INDICES), words=INDICES.get, width=240)
        eps = query.choice("people_eps", "Aversion ε", EPS, default="0.5", width=120,
                           help="The more, the heavier those with least weigh.") if index == "atkinson" else "0.5"
        alpha = query.choice("people_alpha", "α", ALPHAS, default="2", width=120,
                             help="The more, the heavier those with most weigh.") if index == "entropy" else "2"
    found = audit_held.computed(subject, f"people:{subject.model}:{kind}:{eps}:{alpha}", lambda: individual(
        rows, subject.model, kind, eps=float(eps), alpha=float(alpha)))
    with place:
        st.markdown(_said(found, index))
        charts.show(lambda: plot_rates(_index_table(found, index), title=directed(INDICES[index], False), share=False,
                                       overall=found.everyone.indices[index].value), "people-index",
                    f"{INDICES[index]} within every group", same=f"people:{subject.key}:{subject.model}:{kind}:{index}:"
                                                                  f"{eps}:{alpha}")
    _groups(found)
    _parts(found)
    _across(found)
    for note in found.notes:
        st.caption(plain(note, 300))
    with st.expander("How is this computed", key="people-how"):
        st.markdown(HOW.format(positive=plain(rows.classes[1], 60), how=found.everyone.mean.how or "none",
                               level=percent(rows.spec.level, 0)))


def _cell(value: Value) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "", share=False)


def _said(found: Individual, index: str) -> str:
    value = found.everyone.indices[index]
    if value.undefined:
        return f"**The {plain(INDICES[index])} is undefined, because {plain(value.undefined)}.**"
    head = (f"**Among people the {plain(INDICES[index])} of the benefits is {value.value:.2f}** "
            f"({value.low:.2f}–{value.high:.2f}; {found.everyone.n:,} rows).")
    share = dict(found.shares)
    if found.kind == "benefit":
        head += (f" Wrongly refused are {percent(share.get(0.0, 0.0))}, wrongly accepted {percent(share.get(2.0, 0.0))}"
                 f", and {percent(share.get(1.0, 0.0))} are treated as is true.")
    if not found.across:
        return head + " There are not two groups large enough to compare."
    gap, theil = found.across["range"], found.parts["theil"].share
    if theil.undefined is None:
        head += (f" Of this inequality (Theil) {percent(theil.value)} ({100 * theil.low:.1f}–{100 * theil.high:.1f})"
                 " lies between the groups, the rest within them.")
    surely = "more than" if gap.value.value > gap.chance else "no more than"
    return head + (f" Mean benefits of groups differ by up to {gap.value.value:.3f} ({gap.value.low:.3f}–"
                   f"{gap.value.high:.3f}), {surely} chance alone explains (p = {gap.p:.2g}).")


def _index_table(found: Individual, index: str) -> pd.DataFrame:
    lines = []
    for group in found.groups:
        v = group.indices[index]
        lines.append({"group": clean(group.label), "value": v.value, "low": v.low, "high": v.high, "n": group.n,
                      "small": group.small, "undefined": v.undefined or "", "text": f"{_cell(v)}, {group.n:,} rows"})
    return pd.DataFrame(lines)


def _groups(found: Individual) -> None:
    st.subheader("Within each group", anchor=False)
    lines = [{"group": clean(g.label), "n": g.n, "mean": _cell(g.mean), **{s: _cell(g.indices[s]) for s in INDICES}}
             for g in (*found.groups, found.everyone)]
    text = st.column_config.TextColumn
    config = {s: text(words, alignment="right", width=tables.WIDE) for s, words in
              {"mean": "Mean benefit", **INDICES}.items()}
    st.dataframe(pd.DataFrame(lines), hide_index=True, height="content", key="people-groups", column_config={
        **config, "group": text("Group", pinned=True, width="medium"),
        "n": st.column_config.NumberColumn("Rows", format="localized")}, alt="Mean benefit and indices of every group")


def _parts(found: Individual) -> None:
    st.subheader("Within groups, or between them?", anchor=False)
    lines = [{"Index": words, "Among all": _cell(p.total), "Between groups": _cell(p.between.value),
              "By chance up to": "" if p.between.value.undefined else f"{p.between.chance:.4f}",
              "Within groups": _cell(p.within), "Share between": tables.cell(
                  p.share.value, p.share.low, p.share.high, p.share.undefined or "")}
             for words, p in ((SUMMED[name], part) for name, part in found.parts.items())]
    st.dataframe(pd.DataFrame(lines), hide_index=True, height="content", key="people-parts",
                 alt="Inequality within and between groups")


def _across(found: Individual) -> None:
    if found.across:
        p = adjusted([c.p for c in found.across.values()])
        lines = [{"Measure": ACROSS[s], "Value (interval)": _cell(c.value) + (", no interval" if s == "f" else ""),
                  "By chance": f"{c.chance:.3f}", "p (Holm)": f"{q:.3f}"}
                 for (s, c), q in zip(found.across.items(), p, strict=True)]
        st.dataframe(pd.DataFrame(lines), hide_index=True, height="content", key="people-across",
                     alt="Measures over the groups' mean benefits")
    for label, reason in found.left_out:
        st.caption(f"Left out here: {plain(label)} ({plain(reason)}).")
