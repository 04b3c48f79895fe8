"""Start: choose a data set or go on with a study."""

from __future__ import annotations

import streamlit as st

from core import registry
from pages._ui import catalogue, state, studies, upload
from pages._ui.text import count

have = len(state.store().studies())
st.title("What does fairness cost, and who pays?", anchor=False)
st.write("Choose a table and the groups that matter; Counterweight trains many models at once and shows, while they "
         "learn, what each way of treating the groups gains, what it costs, and whom.")

if have:
    st.header("Continue", anchor=False)
    studies.show()

st.header("Choose a data set", anchor=False)
st.caption(f"{count(len(registry.datasets()), 'set')} come with the app. *Explore* begins a study with the usual label "
           "and groups; start the training, and the trade-offs fill in.")
catalogue.show()

st.header("Or bring your own", anchor=False)
table, study = st.columns(2, gap="large")
with table:
    upload.show_file()
    upload.show_path()
with study:
    upload.show_import()
