"""Taking an audit along: every number as CSV or JSON, and a page to hand over, with small cells hidden where asked."""

from __future__ import annotations

import streamlit as st

from core.audit.export import to_csv, to_html, to_json
from pages._ui import audit_held, query
from pages._ui.audit_held import Subject


def show(subject: Subject) -> None:
    """The privacy switch and three downloads."""
    hide = query.flag("hide", "Hide small cells", default=False,
                      help="Counts under the number beside it are hidden, and others from which they could be worked "
                           "out by subtraction.")
    least = query.whole("under", "Hide counts under", 2, 1000, 10) if hide else 0
    found = audit_held.audited(subject)
    name = "audit"
    with st.container(horizontal=True, key="audit-downloads"):
        st.download_button("CSV", lambda: to_csv(found, suppress_under=least), f"{name}.csv", "text/csv",
                           key="audit:csv", on_click="ignore", icon=":material/download:",
                           help="One row per group and metric, unrounded, with intervals and reasons.")
        st.download_button("JSON", lambda: to_json(found, suppress_under=least), f"{name}.json", "application/json",
                           key="audit:json", on_click="ignore", icon=":material/download:",
                           help="The same as the command line prints.")
        st.download_button("Report (HTML)", lambda: to_html(found, title=subject.title, suppress_under=least),
                           f"{name}.html", "text/html", key="audit:html", on_click="ignore",
                           icon=":material/download:", help="A page that opens in any browser, without this app.")
    st.caption("The same audit without a browser: `python -m core audit TABLE --label COLUMN --positive VALUE --score "
               "COLUMN --threshold 0.5 --attr COLUMN --format json`.")
