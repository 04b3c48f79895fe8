"""The groups form: attributes, bands, the merging of small groups, order and reference."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.data.groups import suggest_groups
from core.store.base import StudyRow
from core.types import AttributeSpec, BadInput, Dataset, GroupSpec
from pages._ui import binning, nav, state
from pages._ui.text import clean, plain

ORDERS = {"size": "Largest first", "name": "By name"}


def form(row: StudyRow, data: Dataset) -> GroupSpec | None:
    """The groups as the form says them; None where a field cannot be used (the reason is shown)."""
    start, columns = row.spec.groups, list(data.attributes.columns)
    known = {a.column: a for a in start.attributes}
    picked = st.multiselect("Attributes", columns, [c for c in known if c in columns], format_func=clean,
                            key=f"{row.id}:by:{'|'.join(columns)}", persist_state="session",
                            placeholder="Everyone in one group",
                            help="Several attributes mean their intersections, such as women of 45 and more.")
    suggested = {a.column: a for a in suggest_groups(data).attributes} if set(picked) - set(known) else {}
    with st.container(horizontal=True, vertical_alignment="bottom", key="attributes"):
        parts = [binning.form(f"{row.id}:{c}", data.attributes[c],
                              known.get(c) or suggested.get(c) or AttributeSpec(c)) for c in picked]
    if None in parts:
        return None
    most = max(100, min(2000, len(data.y) // 20), start.min_rows)
    least = st.slider("Put groups together that have fewer rows than", 0, most, start.min_rows,
                      key=f"{row.id}:least", persist_state="session",
                      help="They become one group, other (merged). 0 keeps every group apart.")
    order = st.segmented_control("Order", list(ORDERS), format_func=ORDERS.get, default=start.order, required=True,
                                 key=f"{row.id}:order", persist_state="session",
                                 help="The order of groups in every table and chart.")
    spec = GroupSpec(tuple(parts), int(least), order or "size", "")
    return _reference(row, spec)


def _reference(row: StudyRow, spec: GroupSpec) -> GroupSpec | None:
    """Ask for the group that others are compared with; its choices are the groups as they stand."""
    try:
        labels = list(state.groups(replace(row.spec, groups=spec)).labels)
    except BadInput as refused:
        st.error(plain(refused, 400))
        return None
    start, key = row.spec.groups.reference, f"{row.id}:reference"
    if st.session_state.get(key) not in (None, "", *labels):  # its group is gone: the largest again
        del st.session_state[key]
    chosen = st.selectbox("Reference group", ["", *labels], 1 + labels.index(start) if start in labels else 0,
                          format_func=lambda g: clean(g) or "the largest", key=key, persist_state="session",
                          help="Ratios and differences to the reference are taken against it.")
    nav.link("data", "Another column? Mark it as an attribute on the Data page")
    return replace(spec, reference=chosen or "")
