"""Two views of single persons: do alike people get the same answer, and who is decided against the odds."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.alike import MOST, Alike, alike
from core.audit.infra import MEASURES, Infra, infra
from core.figures.audit import plot_rates, said
from core.types import Value
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, percent, plain

ALIKE_HOW = """For each person the k most alike are found by the Euclidean distance over the columns named
below, the groups' attributes left out, each column counting the same on average (numbers standardised; words as
columns of 0 and 1). Consistency is 1 minus the mean share of them with another prediction (Zemel et al. 2013; a person
is not their own neighbour). At most {most:,} rows are looked at. The interval is Wilson's at the rows that the spread
over people is worth, the neighbours taken as given. What is alike is set by the columns at hand: a column that
matters and is missing, or stands in for a group, changes the answer."""
ODDS_HOW = """p is the chance that a person is truly {positive}, given their columns; h* = 1 where p ≥ ½.
`weighted = E[|h − h*| · |2p − 1|]` · `plain = E|h − h*|` · with the true p: `accuracy(h*) − accuracy(h) = weighted`.
(Biswas et al. 2019; definition reconstructed from its description.) p is not known: it is estimated from features and
attributes by boosted trees that saw neither the row nor its person, brought to the scale of shares by a logistic curve
(5 parts). Intervals take p as given, so they are too narrow. The gain is counted from labels; where it is less than
the weighted measure, p is uncertain and the model may know better. If labels carry a bias, p carries it too. ½ is the
cut of equal costs; with other costs the odds speak for other decisions."""


def alike_people(subject: Subject) -> None:
    """Consistency: sentence, chart by group, columns used."""
    place = st.container()
    k = query.whole("people_k", "Alike people for each", 1, 50, 5, width=200)
    found = audit_held.computed(subject, f"alike:{subject.model}:{k}", lambda: alike(subject.rows, subject.model, k))
    with place:
        st.markdown(_alike_said(found))
        table = _table({label: value for label, (value, _) in found.groups.items()}, subject,
                       {label: small for label, (_, small) in found.groups.items()})
        charts.show(lambda: plot_rates(table, title="Alike people with another answer (← better)",
                                       overall=1 - found.consistency.value), "people-alike",
                    "Share of alike people with another answer, by group",
                    same=f"alike:{subject.key}:{subject.model}:{k}")
    _numbers(table, "people-alike-table", "Alike people with another answer")
    for note in found.notes:
        st.caption(plain(note, 300))
    with st.expander("How is this computed", key="people-alike-how"):
        st.markdown(ALIKE_HOW.format(most=MOST))
        _columns(found.columns.used, found.columns.left_out)


def odds(subject: Subject) -> None:
    """Infra-marginality: sentence, chart by group, all numbers."""
    place = st.container()
    name = query.choice("people_odds", "Number", list(MEASURES), words=MEASURES.get, width=380)
    found = audit_held.computed(subject, f"infra:{subject.model}", lambda: infra(subject.rows, subject.model))
    values = {g.label: g.numbers[name] for g in found.groups}
    table = _table(values, subject, {g.label: g.small for g in found.groups})
    with place:
        st.markdown(_odds_said(found))
        charts.show(lambda: plot_rates(table, title=MEASURES[name], overall=found.everyone.numbers[name].value),
                    "people-odds", f"{MEASURES[name]}, by group",
                    same=f"odds:{subject.key}:{subject.model}:{name}")
    lines = [{"Group": clean(g.label), "Rows": f"{g.n:,}", **{MEASURES[m]: _cell(v) for m, v in g.numbers.items()}}
             for g in (*found.groups, found.everyone)]
    st.dataframe(pd.DataFrame(lines), hide_index=True, height="content", key="people-odds-table",
                 alt="Decisions against the odds in every group")
    for note in found.odds.notes:
        st.caption(plain(note, 300))
    with st.expander("How is this computed", key="people-odds-how"):
        st.markdown(ODDS_HOW.format(positive=plain(subject.rows.classes[1], 60)))
        _columns(found.odds.used, found.odds.left_out)


def _cell(value: Value) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "")


def _between(value: Value) -> str:
    return f"{percent(value.value)} ({100 * value.low:.1f}–{100 * value.high:.1f})"


def _alike_said(found: Alike) -> str:
    head = (f"**Alike people get the same answer in {_between(found.consistency)} of comparisons** "
            f"({found.k} most alike for each of {found.n:,} people).")
    return f"{head} Picked at random, people would in {percent(1 - found.chance)}."


def _odds_said(found: Infra) -> str:
    n, gap = found.everyone.numbers, found.gap
    head = (f"**Against the odds are decided {_between(n['plain'])} of people**: {percent(n['refused'].value)} refused "
            f"although likely positive, {percent(n['accepted'].value)} accepted although likely negative. Weighted by "
            f"how clear the odds are: {_between(n['weighted'])}.")
    if gap.undefined is None and found.between[0] != found.between[1]:
        sure = "larger than chance explains" if gap.low > 0 else "chance alone could make this difference"
        head += (f" Most so among {plain(found.between[1])}, least among {plain(found.between[0])} "
                 f"({100 * gap.value:.1f} points apart; {sure}).")
    gain = f"{100 * n['gain'].value:.1f} points ({100 * n['gain'].low:.1f} to {100 * n['gain'].high:.1f})"
    if found.agrees:
        return head + f" The labels agree: going by the odds would have been right more often by {gain}."
    return head + (f" Read this with care, as the labels disagree with the estimated odds: going by them would have "
                   f"changed accuracy by {gain}.")


def _table(values: dict[str, Value], subject: Subject, small: dict[str, bool]) -> pd.DataFrame:
    return pd.DataFrame([{"group": clean(label), "value": v.value, "low": v.low, "high": v.high,
                          "n": int((subject.rows.groups.code == g).sum()), "small": small[label],
                          "undefined": v.undefined or "", "text": said(v.value, v.low, v.high, v.undefined, v.n)}
                         for g, (label, v) in enumerate(values.items())])


def _numbers(table: pd.DataFrame, key: str, title: str) -> None:
    lines = [{"Group": r.group, "Rows": f"{r.n:,}", title: tables.cell(r.value, r.low, r.high, r.undefined)}
             for r in table.itertuples()]
    st.dataframe(pd.DataFrame(lines), hide_index=True, height="content", key=key, alt=title)


def _columns(used: tuple[str, ...], left_out: tuple[tuple[str, str], ...]) -> None:
    st.caption(f"Columns used: {plain(', '.join(used), 600)}.")
    if left_out:
        st.caption("Left out: " + plain("; ".join(f"{a} ({b})" for a, b in left_out), 600) + ".")
