"""What a page shows where there is nothing yet: what is missing, and the one click that mends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages._ui import nav


def empty(title: str, sentence: str, button: str, then: Callable[..., Any], *args: Any, key: str = "mend") -> None:
    """A calm box: `title` and `sentence` (Markdown) say what is missing; the button calls `then(*args)`."""
    with st.container(border=True, key=f"empty-{key}"):
        st.subheader(title, anchor=False)
        st.write(sentence)
        if st.button(button, type="primary", key=f"empty:{key}"):
            then(*args)


def no_study() -> None:
    """No study is open, or the link names one that is gone."""
    if st.query_params.get("study") or st.session_state.get("open_study"):
        empty("This study is not here", "The link names a study that was deleted or belongs to another data folder.",
              "See the studies that are here", leave, key="gone")
        return
    empty("No study is open", "A study holds a data set, its groups and the models trained on it. "
          "Choose a data set to begin one.", "Choose a data set", nav.go, "start", key="study")


def no_roles() -> None:
    """The open study's label has not been chosen."""
    empty("The label is not chosen yet", "Say which column is to be predicted and which value is the positive class.",
          "Choose the label", nav.go, "data", key="roles")


def leave() -> None:
    """Close the study that the address names and go to the start page."""
    st.session_state.pop("open_study", None)
    st.query_params.pop("study", None)
    nav.go("start")
