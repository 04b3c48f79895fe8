"""The questions of an audit, one open at a time: only what is looked at is computed."""

from __future__ import annotations

import importlib

import streamlit as st

from core.audit.sentences import overview
from pages._ui import audit_held, query
from pages._ui.audit_held import Subject
from pages._ui.text import plain

QUESTIONS = {  # module of pages._ui -> the question it answers
    "audit_overview": "How does each group fare?",
    "audit_gaps": "Are the gaps within bounds?",
    "audit_calibration": "Do the scores mean the same for every group?",
    "audit_why": "Why do the groups differ?",
    "audit_enough": "Are there enough rows?",
    "audit_compare": "Who gains under another model?",
    "audit_peers": "Why do other tools show other numbers?",
    "audit_matching": "Would a like person of another group be treated the same?",
    "audit_people": "How unequal are people, not only groups?",
    "audit_arithmetic": "Could all be equal at once?",
    "audit_sets": "Whose predictions are uninformative?",
    "audit_slices": "Where is it worst?",
    "audit_export": "Take it along",
}
SHORT = {name: name.removeprefix("audit_") for name in QUESTIONS}


def answer(subject: Subject) -> None:
    """The answer in plain sentences, at the top of the page."""
    said = audit_held.computed(subject, f"said:{subject.model}",
                               lambda: overview(subject.rows, audit_held.audited(subject), subject.model))
    head, rest = said[0], said[1:]
    st.markdown("\n".join([plain(head, 400), "", *[f"- {plain(line, 600)}" for line in rest]]))


def offered(subject: Subject) -> list[str]:
    """Questions that can be asked of this subject."""
    rows = subject.rows
    two, labelled = len(rows.classes) == 2, rows.y is not None
    scored = any(model.score is not None for model in rows.models)
    needs = {"audit_enough": rows.models[subject.model].pred is not None and rows.n_attrs > 1,
             "audit_slices": len(rows.features.columns) > 0,
             "audit_calibration": two and labelled and scored, "audit_people": two and labelled,
             "audit_compare": labelled and subject.other is not None, "audit_arithmetic": two and labelled,
             "audit_why": len(rows.features.columns) > 0 and rows.n_attrs > 1,
             "audit_matching": len(rows.features.columns) > 0 and rows.n_attrs > 1,
             "audit_sets": two and labelled and scored,
             "audit_use": subject.source == "run" and two and labelled, "audit_peers": two and labelled}
    return [name for name in QUESTIONS if needs.get(name, True)]


def show(subject: Subject) -> None:
    """The chosen question."""
    names = offered(subject)
    by_short = {SHORT[name]: name for name in names}
    short = query.choice("view", "Question", list(by_short), words=lambda k: QUESTIONS[by_short[k]], kind="pills",
                         label_visibility="collapsed")
    importlib.import_module(f"pages._ui.{by_short[short]}").show(subject)
