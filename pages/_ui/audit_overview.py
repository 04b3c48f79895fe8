"""How each group fares: a chart of one rate with intervals, the table of all rates, the map of intersections."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import registry
from core.audit.audit import Audit
from core.figures.audit import group_rates, plot_map, plot_rates
from core.figures.theme import directed
from core.metrics.words import inside
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, plain

FIRST = {True: ("tpr", "fpr", "selection_rate", "accuracy"), False: ("selection_rate",)}


def offered(found: Audit) -> list[str]:
    """Metrics that some group has, the most asked for first."""
    there = {name for group in found.groups for name, value in group.metrics.items() if value.undefined is None}
    first = [name for name in FIRST[True] if name in there]
    return [*first, *[name for name in registry.metrics("") if name in there and name not in first]]


def show(subject: Subject) -> None:
    """Chart, table, map."""
    found = audit_held.audited(subject)
    names = offered(found)
    if not names:
        st.info("No rate is defined in any group.")
        return
    name = query.choice("metric", "Rate", names, words=lambda n: registry.metric(n).title, width=320,
                        help="What is compared between the groups.")
    metric = registry.metric(name)
    table = audit_held.computed(subject, f"rates:{subject.model}:{name}", lambda: group_rates(found, name))
    share, everyone = metric.bounds == (0.0, 1.0), found.overall[name].value
    title = directed(metric.title, metric.higher_is_better)
    charts.show(lambda: plot_rates(table, title=title, overall=everyone, share=share), "audit-rates",
                f"{metric.title} of every group with its interval", same=f"{subject.key}:{subject.model}:{name}")
    st.caption(f"{metric.help} Hollow: fewer rows than the limit, left out of the worst group.")
    attributes = list(subject.rows.attributes.columns)
    if len(attributes) > 1 and subject.rows.n_attrs > 2:
        st.subheader("The intersections", anchor=False)
        pair = attributes[:2]
        charts.show(lambda: plot_map(table, rows=pair[0], columns=pair[1], title=metric.title, share=share),
                    "audit-map", f"{metric.title} in every intersection",
                    same=f"map:{subject.key}:{subject.model}:{name}")
    st.subheader("The numbers", anchor=False)
    numbers(found, names, f"audit-groups-{subject.model}")
    explain(found, name)


def explain(found: Audit, name: str) -> None:
    """How the chosen number is computed, with each group's counts and the other tools' names."""
    metric = registry.metric(name)
    with st.expander(f"How is the {inside(metric.title)} computed?", key="audit-explain"):
        st.markdown(f"{plain(metric.help, 600)}\n\n`{metric.equation}`" if metric.equation else plain(metric.help, 600))
        rows = [{"group": clean(g.label), **g.counts, "value": _cell(g.metrics.get(name), name),
                 "interval": g.metrics[name].how if name in g.metrics else ""} for g in found.groups]
        st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-counts", column_config={
            "group": "Group", "value": metric.title, "interval": "Interval by"}, alt="Counts behind the number")
        if metric.aka:
            st.caption("Elsewhere: " + "; ".join(f"{plain(tool)}: {plain(word)}" for tool, word in metric.aka.items()))
        if metric.source:
            st.caption(f"Source: {plain(metric.source)}")


def numbers(found: Audit, names: list[str], key: str) -> None:
    """Every group with rows and rates in words; the download holds all of them, unrounded."""
    rows = []
    for group in found.groups:
        cells = {n: _cell(group.metrics.get(n), n) for n in names}
        rows.append({"group": clean(group.label), "n": group.n, **cells})
    rows.append({"group": "everyone", "n": found.n_used, **{n: _cell(found.overall.get(n), n) for n in names}})
    text = st.column_config.TextColumn
    config = {"group": text("Group", pinned=True, width="medium"),
              "n": st.column_config.NumberColumn("Rows", format="localized", help="Rows of the group, unweighted"),
              **{n: text(registry.metric(n).title, help=registry.metric(n).help, alignment="right", width=tables.WIDE)
                 for n in names}}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=config, key=key, height="content",
                 alt="Every group with its rows and rates")


def _cell(value: object, name: str) -> str:
    if value is None:
        return ""
    return tables.cell(value.value, value.low, value.high, value.undefined or "",
                       share=registry.metric(name).bounds == (0.0, 1.0))
