"""Groups: whose outcomes are compared?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.types import BadInput
from pages._ui import grouping, nav, saving, sizes, state
from pages._ui.text import plain

st.title("Whose outcomes are compared?", anchor=False)
row = state.require_study()
answer = st.container()
try:
    data = state.dataset(row.spec)
except BadInput as refused:
    st.error(plain(refused, 400))
    nav.link("data", "Correct the roles on the Data page")
    st.stop()

controls, picture = st.columns([2, 3], gap="large")
numbers = st.container()
with controls:
    wanted = grouping.form(row, data)
    spec = replace(row.spec, groups=wanted or row.spec.groups)
    if wanted is not None:
        saving.settle(row, spec, "groups", spec.groups)
try:
    with picture:
        if wanted is None:
            st.caption("These are the last groups that could be made.")
        sizes.draw(spec)
    with numbers:
        sizes.show(spec)
        if st.button("Go on to training", type="primary", key="next", help="The groups are kept."):
            nav.go("train")
    with answer:
        st.write(sizes.answer(spec))
except BadInput as refused:
    st.error(plain(refused, 400))
