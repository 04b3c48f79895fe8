"""A simulated lender beside the pairs of like people: what matching finds where the truth is known."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.lending import ARMS, MAJORITY, MINORITY, SETS, Lesson, lesson
from pages._ui import query, tables
from pages._ui.audit_pair import points, signed
from pages._ui.text import percent

DIRECT = {"0": "none", "30": "some", "60": "much"}
THROUGH = {"0": "none", "80": "much", "160": "very much"}


def show() -> None:
    """Two knobs, the truth beside what matching says, and what a model trained on pairs does."""
    st.caption(f"6,000 simulated applicants. Region drives race and income; race drives the neighbourhood. Since the "
               f"same {MINORITY} person can be drawn anew as {MAJORITY}, the true difference is known. The graph and "
               "its numbers are made up after the paper; real data are not used.")
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-lend-set"):
        direct = query.choice("lend_direct", "The lender looks at race", list(DIRECT), default="60", words=DIRECT.get,
                              kind="segmented")
        through = query.choice("lend_through", "Race changes the neighbourhood", list(THROUGH), default="80",
                               words=THROUGH.get, kind="segmented")
    found = _computed(int(direct), int(through))
    st.markdown(_said(found))
    rows = [{"train": arm[0].upper() + arm[1:], **{name: tables.cell(v.value, v.low, v.high, "")
                                                   for name in SETS for v in [found.flips[arm, name]]}} for arm in ARMS]
    text = st.column_config.TextColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-lend-flips", column_config={
        "train": text("Trained on", pinned=True), **{name: text(f"Sees {name}", alignment="right", width=220)
                                                     for name in SETS}},
        alt="Share of new applicants whose predicted decision changes when race is swapped")
    st.caption("Share of 6,000 new applicants whose predicted decision changes when race, and what follows from it, is "
               "swapped (Wilson's interval).")


@st.cache_resource(show_spinner="Simulating …", max_entries=9)
def _computed(direct: int, through: int) -> Lesson:
    return lesson(6000, 0, -direct / 100, through / 100)


def _said(found: Lesson) -> str:
    m = found.found
    apart = float(m.balance["before"].abs().max()), float(m.balance["after"].abs().max())
    covers = "covers the truth" if m.effect.low <= found.truth <= m.effect.high else "misses the truth"
    raw = "covers" if m.raw.low <= found.truth <= m.raw.high else "misses"
    flips = found.flips[ARMS[1], list(SETS)[1]]
    tail = (f"A model trained on the pairs without seeing race still changes {percent(flips.value)} of its decisions "
            "when race is swapped, through the neighbourhood: balanced data do not make it fair."
            if flips.low > 0 and flips.value > 0 else "A model trained on the pairs without seeing race never changes "
            "its decision when race is swapped.")
    return (f"Being {MINORITY} truly changes approval by **{signed(100 * found.truth)} points**. The raw gap, "
            f"{points(m.raw)}, {raw} that; {len(m.rows):,} pairs say **{points(m.effect)}**, which {covers}. Matching "
            f"brings the groups from {apart[0]:.2f} to {apart[1]:.2f} standard deviations apart. {tail}")
