"""The settings of a built-in set and of the split into training, validation and test rows."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core import registry
from core.store.base import StudyRow
from core.types import BadInput, DataSpec, SplitSpec, StudySpec
from pages._ui import held, param
from pages._ui.text import percent, plain

MAX_SEED = 2**31 - 1


def data_options(row: StudyRow) -> StudySpec:
    """The options that a built-in set offers. Where one changes, label, groups and roles follow the set's own,
    unless the person had chosen others."""
    spec = row.spec
    if spec.data.source != "builtin" or not (entry := registry.dataset(spec.data.name)).params:
        return spec
    st.subheader("How this set is made", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="data-options"):
        chosen = {p.name: param.widget(p, f"{row.id}:option:{p.name}", spec.data.options.get(p.name))
                  for p in entry.params}
    before = {p.name: spec.data.options.get(p.name, p.default) for p in entry.params}
    if None in chosen.values() or chosen == before:
        return spec
    kept = replace(spec, data=DataSpec("builtin", entry.name, chosen))
    if spec.roles is not None and spec.roles != entry.roles(before) and _fits(kept):
        return kept
    return replace(kept, roles=entry.roles(chosen), groups=entry.groups(chosen))


def _fits(spec: StudySpec) -> bool:
    try:
        held.groups(spec)
    except BadInput:
        return False
    return True


def split_form(row: StudyRow) -> SplitSpec | None:
    """Shares of the three parts and the seed; None where they do not leave rows for training (the reason is shown)."""
    start = row.spec.split
    with st.container(horizontal=True, vertical_alignment="bottom", key="split"):
        val = st.number_input("Validation share (%)", 1.0, 60.0, 100 * start.val, 5.0, format="%g", width=190,
                              key=f"{row.id}:split:val", persist_state="session",
                              help="Rows used to choose between models; never trained on.")
        test = st.number_input("Test share (%)", 1.0, 60.0, 100 * start.test, 5.0, format="%g", width=190,
                               key=f"{row.id}:split:test", persist_state="session",
                               help="Rows used to report; never trained on and never chosen by.")
        seed = st.number_input("Seed of the draw", 0, MAX_SEED, start.seed, width=190, key=f"{row.id}:split:seed",
                               persist_state="session", help="Another number draws other rows.")
    try:
        return make_split(val, test, seed)
    except BadInput as refused:
        st.error(plain(refused, 400))
        return None


def make_split(val: float | None, test: float | None, seed: int | None) -> SplitSpec:
    """Shares in percent -> SplitSpec; the rest is for training. Raises BadInput where less than 10 % is left."""
    if val is None or test is None or seed is None:
        raise BadInput("Split", "an empty field", "two shares and a seed", "fill in the empty one")
    train = round(1 - (val + test) / 100, 6)
    if train < 0.1:
        raise BadInput("Split", f"{percent(train, 0)} left for training", "at least 10 %", "lower one of the shares")
    return SplitSpec(seed, train, round(val / 100, 6), round(test / 100, 6))
