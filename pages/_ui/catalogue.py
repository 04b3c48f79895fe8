"""The built-in data sets as cards: what it is, how many, what to beware of, and one click to explore it."""

from __future__ import annotations

import streamlit as st

from core import registry
from core.data.load import default_study
from core.types import DatasetEntry
from pages._ui import facts, nav, state
from pages._ui.text import count, plain

MODALITIES = {"table": "table", "image": "images", "text": "text and table"}


def show() -> None:
    """All cards, three in a row where there is room."""
    with st.grid(3, min_column_width=290, key="catalogue"):
        for entry in registry.datasets().values():
            with st.container(border=True, height="stretch", key=f"card-{entry.name}"):
                _card(entry)


def _card(entry: DatasetEntry) -> None:
    st.subheader(plain(entry.title), anchor=False)
    st.caption(plain(facts.in_words(entry.name)))
    st.write(plain(first_sentence(entry.card.label), 200))
    if entry.card.harms:
        st.caption(f"**Beware:** {plain(first_sentence(entry.card.harms[0]), 260)}")
    st.space("stretch")
    with st.container(horizontal=True, key=f"card-buttons-{entry.name}"):
        if st.button("Explore", type="primary", key=f"explore:{entry.name}",
                     help=plain(f"Begin a study of {entry.title} with its usual label and groups.", 200)):
            explore(entry.name)
        if st.button("Read the card", type="tertiary", key=f"read:{entry.name}",
                     help="Source, licence, what the label means, known harms and traps."):
            _read(entry)


def explore(name: str) -> None:
    """Create a study of a built-in set with its own roles, groups and split, and go to training."""
    state.create(default_study(name))
    nav.go("train")


def _read(entry: DatasetEntry) -> None:
    st.dialog(plain(entry.title), width="medium")(read)(entry)


def read(entry: DatasetEntry) -> None:
    """The whole card."""
    card = entry.card
    kind = MODALITIES.get(card.modality, card.modality)
    st.caption(plain(f"{count(card.n_rows, 'row')} and {count(card.n_columns, 'column')} as shipped; {kind}."))
    st.markdown(f"**What the label means.** {plain(card.label, 2000)}")
    st.markdown(f"**Groups.** {plain(card.groups, 2000)}")
    smallest = facts.known().get(entry.name, {}).get("smallest")
    if smallest:
        n, label, group = smallest
        st.markdown(f"**Smallest cell.** {plain(f'{label} among {group}', 200)}: {count(n, 'row')}.")
    if card.harms:
        st.markdown("**Known harms and traps**")
        st.markdown("\n".join(f"- {plain(harm, 1000)}" for harm in card.harms))
    st.markdown(f"**Source.** {plain(card.source, 600)}")
    st.markdown(f"**Licence.** {plain(card.licence, 600)}")
    st.markdown(f"**Credit.** {plain(card.credit, 600)}")


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence (followed by a blank and a capital letter)."""
    for k, mark in enumerate(text):
        if mark in ".!?" and k > 20 and text[k + 1: k + 2] in ("", " ") and text[k + 2: k + 3][:1].isupper():
            return text[: k + 1]
    return text
