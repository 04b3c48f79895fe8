"""Methods as cards: what each does, what it must know, its settings, its checks here and now, one click to try it."""

from __future__ import annotations

import html

import pandas as pd
import streamlit as st

from core import registry
from core.checks.method import CHECKS
from core.store.base import StudyRow
from core.types import BadInput, Method, MethodSpec, TrainSpec
from pages._ui import budget, method_picker, nav, plans, state
from pages._ui.text import count, plain


def matching(words: str, family: str, sight: str, pace: str = "") -> list[Method]:
    """Methods that hold every word somewhere and fit the family, what they see and how they train."""
    wanted = words.casefold().split()
    return [m for m in plans.sorted_methods(registry.methods())
            if plans.fits(m, family, sight, pace) and all(word in text_of(m) for word in wanted)]


def text_of(method: Method) -> str:
    """All that is said about a method, for searching."""
    parts = [method.name, method.title, plans.family(method), method.summary, method.source, method.equation,
             *[f"{p.name} {p.label} {p.symbol}" for p in method.params]]
    return " ".join(parts).casefold()


def card(method: Method, row: StudyRow | None) -> None:
    """One method."""
    st.subheader(plain(method.title), anchor=False)
    how = "stacked" if method.stacked else "looped"
    reading = " · our reading of the paper" if method.reconstruction else ""
    st.caption(f"{plain(plans.family(method))} · {how}{reading}")
    st.write(plain(method.summary, 400))
    with st.expander("More", key=f"more-{method.name}", on_change="rerun") as more:
        if more.open:
            method_picker.about(method)
            _settings(method)
            _checks(method)
    st.space("stretch")
    _try(method, row)


def _settings(method: Method) -> None:
    if not method.params:
        st.caption("It has no settings of its own.")
        return
    rows = [{"setting": p.label, "symbol": p.symbol, "default": str(p.default), "range": _range(p), "help": p.help}
            for p in method.params]
    text = st.column_config.TextColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key=f"settings-{method.name}",
                 alt="The settings of this method", column_config={
                     "setting": text("Setting", pinned=True), "symbol": text("Symbol"), "default": text("Default"),
                     "range": text("Allowed"), "help": text("What it does", width="large")})


def _range(param) -> str:
    if param.choices:
        return ", ".join(html.unescape(str(c)) for c in param.choices)
    return f"{param.low:g} to {param.high:g}"


def _checks(method: Method) -> None:
    """Run the conformance suite when asked; the outcome stays for this server."""
    if not st.button("Run its checks", key=f"check:{method.name}", help="Takes some seconds; nothing is changed."):
        return
    failures, bar = [], st.progress(0.0, text="Checking …")
    for k, (name, check) in enumerate(CHECKS.items()):
        try:
            check(method)
        except Exception as wrong:  # whatever a method does wrong is a finding, not an error of the page
            failures.append(f"{name.replace('_', ' ')}: {str(wrong).split('assert')[0]}")
        bar.progress((k + 1) / len(CHECKS), text=plain(name.replace("_", " ")))
    bar.empty()
    if failures:
        st.error(plain(f"{len(failures)} of {len(CHECKS)} checks fail. " + " ".join(failures), 800))
    else:
        st.success(f"All {len(CHECKS)} checks hold.")


def _try(method: Method, row: StudyRow | None) -> None:
    """Plain training and this method at its defaults on the open study, in the background."""
    if row is None or row.spec.roles is None or row.spec.roles.task == "regression":
        st.caption("Open a study with classes to try it.")
        return
    if st.button("Try it on the open study", key=f"try:{method.name}",
                 help="Trains plain training and this method, three seeds each, and opens the front."):
        try:
            task = state.task(row.spec)
            if method.name not in plans.offered(task):
                raise BadInput(method.title, count(task.n_classes, "class", "classes"), "two classes", "choose another")
            names = dict.fromkeys(("erm", method.name))
            state.jobs().submit(row.id, TrainSpec(tuple(MethodSpec(n) for n in names), budget=budget.first(task)))
        except BadInput as refused:
            st.error(plain(refused, 400))
            return
        nav.go("tradeoffs")
