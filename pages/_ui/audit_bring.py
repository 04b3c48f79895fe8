"""Bringing predictions to audit: a file, the published COMPAS scores, or an audit that is kept already."""

from __future__ import annotations

import streamlit as st

from core.store.audits import KeptAudit, add_audit, audits, forget_audit, read_audit
from core.types import AuditSpec, BadInput
from pages._ui import state, upload
from pages._ui.text import ago, clean, count, plain

AUDIT, SHOWN = "audit", 8
EXAMPLE = AuditSpec(label="outcome", positive="", scores=("COMPAS score",), threshold=5.0, score_kind="points",
                    attributes=("race",), min_n=30)
EXAMPLE_TITLE = "The COMPAS scores as published"


def opened() -> KeptAudit | None:
    """The audit that the address names; where it is gone the screen says so."""
    ident = st.query_params.get(AUDIT, "")
    if not ident:
        return None
    try:
        return read_audit(state.home(), ident)
    except BadInput as refused:
        st.error(plain(refused, 300))
        return None


def open_audit(ident: str) -> None:
    """Write the audit into the address."""
    st.query_params[AUDIT] = ident


def close() -> None:
    """Back to the choice of predictions."""
    st.query_params.pop(AUDIT, None)


def show() -> None:
    """File, example, and the audits that are kept."""
    st.write("Bring what was predicted and what came true; no model is needed. Every rate is told for every group, "
             "with how sure it is, and compared.")
    left, right = st.columns(2, gap="large")
    with left:
        _file()
    with right:
        _example()
        _kept()


def _file() -> None:
    given = st.file_uploader("A table with true labels and predictions", max_upload_size=upload.LIMIT_MB,
                             key="audit:file", help="One row a person: what was true, what was predicted (or a score), "
                             "and the attributes whose groups are compared. The file stays on this server.")
    st.caption(f"{upload.KINDS}; up to {upload.LIMIT_MB} MB. Labels may be missing: then only who is selected is "
               "compared.")
    if given is None:
        return
    try:
        data = upload.keep(given.name, given.getvalue())
        rows, columns = state.table(data).frame.shape
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    st.success(plain(f"{given.name}: {count(rows, 'row')} and {count(columns, 'column')} were read."))
    if st.button("Begin an audit", type="primary", key="audit:begin",
                 help="Next you say which column is which."):
        open_audit(add_audit(state.home(), clean(given.name, 80), data).id)
        st.rerun()


def _example() -> None:
    with st.container(border=True, key="audit-example"):
        st.markdown("**An example with history**")
        st.caption("7,214 people of Broward County, what the COMPAS tool said about them in 2013 and 2014, and whether "
                   "they were charged again within two years. The debate on it began this field.")
        if st.button("Audit the COMPAS scores", key="audit:example", help="Opens a finished audit of a built-in table"):
            open_audit(_example_audit().id)
            st.rerun()


def _example_audit() -> KeptAudit:
    """The example, kept once."""
    from core.data.load import default_study

    study = default_study("compas", {"fix_sampling": False})
    same = [kept for kept in audits(state.home()) if kept.title == EXAMPLE_TITLE and kept.data == study.data]
    if same:
        return same[0]
    words = study.roles
    spec = AuditSpec(**{**EXAMPLE.__dict__, "label": words.label, "positive": words.positive})
    return add_audit(state.home(), EXAMPLE_TITLE, study.data, spec)


def _kept() -> None:
    found = audits(state.home())
    if not found:
        return
    st.markdown("**Go on with an audit**")
    for kept in found[:SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"kept-{kept.id.lower()}"):
            st.markdown(f"{plain(kept.title, 60)}", width="stretch")
            st.caption(ago(kept.created), width="content")
            if st.button("Open", key=f"audit:open:{kept.id}", help="Go on with this audit"):
                open_audit(kept.id)
                st.rerun()
            with st.popover("Delete", help="Asks once more", key=f"audit-delete-{kept.id.lower()}"):
                st.write("The audit is deleted; its table stays with the uploads.")
                st.button("Delete this audit", key=f"audit:delete:{kept.id}", on_click=forget_audit,
                          args=(state.home(), kept.id))
