"""Bringing one's own: a file, a path on the server's disk where the operator allows it, a study file or a bundle."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from core.data.load import save_upload, upload_folder
from core.jobs.bundle import import_bundle
from core.study import read_study
from core.types import BadInput, DataSpec, StudySpec
from pages._ui import nav, state
from pages._ui.text import clean, count, plain

LIMIT_MB = 200
KINDS = "CSV or TSV (any delimiter and encoding), Parquet, Feather, Excel or JSON lines, compressed or not"


def show_file() -> None:
    """Upload a table: it is read and kept, and a study without roles begins on the Data page."""
    given = st.file_uploader("Your table", max_upload_size=LIMIT_MB, key="upload:table",
                             help="The file stays on this server, in its data folder.")
    st.caption(f"{KINDS}; up to {LIMIT_MB} MB.")
    if given is None:
        return
    try:
        data = keep(given.name, given.getvalue())
        rows, columns = state.table(data).frame.shape
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    st.success(plain(f"{given.name}: {count(rows, 'row')} and {count(columns, 'column')} were read."))
    if st.button("Begin a study", type="primary", key="upload:begin",
                 help="Next you say which column is to be predicted."):
        begin(data, given.name)


def keep(filename: str, content: bytes) -> DataSpec:
    """Keep an uploaded table in the data folder and read it once; what cannot be read is not kept (BadInput)."""
    data = save_upload(state.home(), filename, content)
    try:
        state.table(data)
    except BadInput:
        (upload_folder(state.home(), data) / data.name).unlink(missing_ok=True)
        raise
    return data


def begin(data: DataSpec, filename: str) -> None:
    """A study without roles, named after its file, opened on the Data page."""
    state.create(StudySpec(name=clean(Path(filename).name.split(".")[0], 60) or "My table", data=data))
    nav.go("data")


def show_path() -> None:
    """A table in the operator's folder; shown only where COUNTERWEIGHT_DATA_ROOT is set."""
    if not os.environ.get("COUNTERWEIGHT_DATA_ROOT"):
        return
    typed = st.text_input("Path on the server's disk", key="upload:path", placeholder="folder/table.parquet",
                          help="Inside the data folder that the operator of this server opened.")
    if not (typed and st.button("Begin a study", key="upload:path-begin", help="Reads the file where it lies.")):
        return
    data = DataSpec("path", Path(typed).name, path=typed)
    try:
        state.table(data)
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    begin(data, data.name)


def show_import() -> None:
    """A study file (.json) or a bundle (.zip) that this app exported."""
    given = st.file_uploader("Study file or bundle", type=["json", "zip"], max_upload_size=LIMIT_MB, key="upload:study",
                             help="A study file holds what to do; a bundle also the table and every run.")
    st.caption(f".json or .zip, up to {LIMIT_MB} MB.")
    if given is None or not st.button("Import", type="primary", key="upload:import",
                                      help="Adds it to the studies on this server and opens it."):
        return
    try:
        import_study(given.name, given.getvalue())
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    nav.go("data")


def import_study(filename: str, content: bytes) -> str:
    """Add an exported study and open it; returns its id. Raises BadInput where the file is not one."""
    if filename.lower().endswith(".zip") or content[:2] == b"PK":
        ident = import_bundle(state.store(), state.home(), content)
        state.open_study(ident)
        return ident
    return state.create(read_study(content))
