"""The table of columns: what each is, what part it plays, and whether the model may see it."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from core.types import Roles
from pages._ui.text import clean

USES = ("feature", "text", "dropped")
BY_HAND = "left out by hand"


def editor(key: str, facts: pd.DataFrame, start: Roles, parts: Mapping[str, str],
           reasons: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Show the table and read it.

    Args:
        key: the widget's key. Edits live on when `parts` changes and when the person comes back to the page.
        facts: one row a column of the table: "column", "kind", "missing" (share).
        start: the roles that the table begins with.
        parts: column -> "label", "group", "weight" or "keeps rows together", as chosen above the table.
        reasons: column -> one sentence, why the column plays its part.

    Returns:
        (text columns, dropped column -> reason), the columns in `parts` left out.
    """
    uses, whys = st.session_state.get(f"{key}:draft") or _begin(facts, start, reasons)
    if key not in st.session_state:  # the first time, or back from another screen
        st.session_state[f"{key}:base"] = (uses, whys)
    base_uses, base_whys = st.session_state[f"{key}:base"]
    shown = pd.DataFrame({
        "column": [clean(c) for c in facts["column"]], "kind": facts["kind"].to_list(),
        "missing": (100 * facts["missing"]).to_list(), "part": [parts.get(c, "") for c in facts["column"]],
        "use": base_uses, "reason": base_whys,
    })
    edited = st.data_editor(shown, key=key, hide_index=True, num_rows="fixed", column_config=_config(),
                            disabled=["column", "kind", "missing", "part"],
                            height="content" if len(shown) <= 12 else 420,
                            alt="The columns of the table, the part each plays, and whether the model may see it")
    draft = (edited["use"].to_list(), [w or "" for w in edited["reason"]])
    st.session_state[f"{key}:draft"] = draft
    return read(facts["column"].to_list(), *draft, parts)


def read(columns: list[str], uses: list[str], whys: list[str],
         parts: Mapping[str, str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """(text columns, dropped column -> reason) of an edited table; a dropped one without a reason gets BY_HAND."""
    text = tuple(c for c, use in zip(columns, uses, strict=True) if use == "text" and c not in parts)
    dropped = {c: clean(why, 200) or BY_HAND for c, use, why in zip(columns, uses, whys, strict=True)
               if use == "dropped" and parts.get(c, "group") == "group"}
    return text, dropped


def drop(key: str, columns: list[str], wanted: Mapping[str, str]) -> None:
    """Mark the `wanted` columns (-> reason) as dropped in the table's draft and show the table anew."""
    uses, whys = st.session_state[f"{key}:draft"]
    uses = ["dropped" if c in wanted else use for c, use in zip(columns, uses, strict=True)]
    whys = [wanted.get(c, why) for c, why in zip(columns, whys, strict=True)]
    st.session_state[f"{key}:draft"] = (uses, whys)
    del st.session_state[key]


def _begin(facts: pd.DataFrame, start: Roles, reasons: Mapping[str, str]) -> tuple[list[str], list[str]]:
    uses = ["dropped" if c in start.dropped else "text" if c in start.text else "feature" for c in facts["column"]]
    whys = [start.dropped.get(c) or reasons.get(c, "") for c in facts["column"]]
    return uses, whys


def _config() -> dict[str, object]:
    column = st.column_config
    return {
        "column": column.TextColumn("Column", help="The name in the file"),
        "kind": column.TextColumn("Kind", help="What the values are"),
        "missing": column.NumberColumn("Missing", format="%.1f %%", help="Share of rows without a value"),
        "part": column.TextColumn("Part", help="Chosen above the table"),
        "use": column.SelectboxColumn("The model sees", options=list(USES), required=True,
                                      help="feature: as a number or category; text: as words; dropped: not at all"),
        "reason": column.TextColumn("Reason", max_chars=200, help="Why it is left out, or why it plays its part"),
    }
