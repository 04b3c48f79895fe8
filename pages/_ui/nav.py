"""The list of screens and how to get from one to another."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
SCREENS = {
    "start": "Start",
    "data": "Data",
    "groups": "Groups",
    "train": "Train",
    "tradeoffs": "Trade-offs",
    "curves": "Curves",
    "thresholds": "Thresholds",
    "audit": "Audit",
    "methods": "Methods",
}


def page(name: str) -> st.Page:
    """The screen as Streamlit knows it; made anew on every run, equal by its address."""
    return st.Page(ROOT / "pages" / f"{name}.py", title=SCREENS[name], url_path=name, default=name == "start")


def pages() -> list[st.Page]:
    """All screens, in reading order."""
    return [page(name) for name in SCREENS]


def go(name: str, **query: str) -> None:
    """Leave for another screen, keeping the open study; further `query` values go into its address."""
    ident = st.session_state.get("open_study", "")
    st.switch_page(page(name), query_params=({"study": ident} if ident else {}) | query)


def link(name: str, label: str, *, help: str | None = None, disabled: bool = False, **query: str) -> None:
    """A link to another screen that keeps the open study."""
    ident = st.session_state.get("open_study", "")
    st.page_link(page(name), label=label, help=help, disabled=disabled,
                 query_params=({"study": ident} if ident else {}) | query)
