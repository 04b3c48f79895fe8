"""Data: what is in the table, and which column plays which part?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.data.groups import suggest_groups
from core.types import BadInput, GroupSpec, Roles, StudySpec
from pages._ui import nav, options, overview, roles, saving, state
from pages._ui.facts import title_of
from pages._ui.text import count, plain


def with_groups(spec: StudySpec, chosen: Roles) -> StudySpec:
    """The study with these roles: groups of attributes that stay are kept as they are (an attribute need not make
    groups), attributes that are new bring the groups suggested for them."""
    before = spec.roles.attributes if spec.roles else ()
    spec = replace(spec, roles=chosen)
    if chosen.attributes == before:
        return spec
    if not chosen.attributes:
        return replace(spec, groups=GroupSpec())
    kept = tuple(a for a in spec.groups.attributes if a.column in chosen.attributes)
    new = tuple(a for a in suggest_groups(state.dataset(spec)).attributes if a.column not in before)
    if not kept and not new:
        return replace(spec, groups=suggest_groups(state.dataset(spec)))
    reference = spec.groups.reference if kept == spec.groups.attributes and not new else ""
    return replace(spec, groups=replace(spec.groups, attributes=kept + new, reference=reference))


def confirm(spec: StudySpec) -> None:
    """The button that an upload needs once: it checks the roles and goes on to the groups."""
    if st.button("Use these roles", type="primary", key=f"{row.id}:confirm",
                 help="Checks them against the table, then shows the groups."):
        state.dataset(spec)
        state.save(row.id, spec)
        nav.go("groups")


st.title("What is in this table?", anchor=False)
row = state.require_study(roles=False)
answer = st.container()
try:
    table = state.table(row.spec.data)
except BadInput as refused:
    st.error(plain(refused, 400))
    st.stop()

spec = options.data_options(row)
chosen = None
if spec.data == row.spec.data:
    st.subheader("Which column plays which part?", anchor=False)
    chosen = roles.form(row, table)
else:
    chosen = spec.roles
with st.expander("Split into training, validation and test", key="split-box"):
    split = options.split_form(row)
try:
    if chosen is not None and split is not None:
        spec = replace(with_groups(spec, chosen), split=split)
        state.splits(spec)
        if row.spec.roles is None:
            confirm(spec)
        else:
            saving.settle(row, spec, "data", spec.data, spec.roles, spec.split)
except BadInput as refused:
    st.error(plain(refused, 400))

def show_profile() -> None:
    """What the stored roles say about the table."""
    overview.show(row.spec)
    if st.button("Go on to the groups", type="primary", key="next", help="The roles are kept."):
        nav.go("groups")


with answer:
    rows, columns = table.frame.shape
    images = "" if table.images is None else ", each row with an image of {2} × {3} points".format(*table.images.shape)
    st.write(f"**{plain(title_of(row.spec.data))}** has {count(rows, 'row')} and {count(columns, 'column')}{images}.")
with st.expander("The first rows", key="first-rows"):
    st.dataframe(table.frame.head(100), hide_index=True, alt="The first 100 rows of the table as read")
try:
    answer.write(overview.answer(row.spec))
    if row.spec.roles is not None:
        show_profile()
except BadInput as refused:
    answer.error(plain(refused, 400))
