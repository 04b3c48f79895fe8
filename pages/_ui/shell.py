"""The script that Streamlit runs: page settings, style, navigation, the study bar, then the chosen screen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages._ui import bar, gate, nav, state

ROOT = Path(__file__).resolve().parents[2]
ICON = ROOT / "assets" / "icon.png"
POLLING = ("train", "tradeoffs", "curves")  # these screens bring their own live fragment


def render() -> None:
    """One full run of the app."""
    st.set_page_config(page_title="Counterweight", page_icon=str(ICON) if ICON.is_file() else "⚖️", layout="wide",
                       initial_sidebar_state="collapsed", menu_items={"About": None})
    st.html(ROOT / "assets" / "style.css")
    screen = st.navigation(nav.pages(), position="top")
    gate.require()
    state.keep_study()
    row = state.study()
    place = bar.show(row, live=screen.url_path not in POLLING) if row is not None else None
    with st.container(key="page"):
        screen.run()
    if place is not None:
        bar.link(place)


if __name__ == "__main__":
    render()
