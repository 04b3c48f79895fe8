from __future__ import annotations

import pytest

from core.data.load import default_study
from core.types import BadInput
from pages._ui import state, upload
from pages._ui.studies import study_file


def test_a_table_is_kept_byte_for_byte(folder, csv):
    data = upload.keep("my table.csv", csv)
    (kept,) = [p for p in (folder / "uploads").rglob("*") if p.is_file()]
    assert kept.read_bytes() == csv
    assert len(state.table(data).frame) == 240


def test_what_cannot_be_read_is_not_kept(folder):
    with pytest.raises(BadInput):
        upload.keep("x.parquet", b"PAR1 nonsense")
    assert not [p for p in (folder / "uploads").rglob("*") if p.is_file()]


def test_an_imported_study_file_opens_as_a_new_study(folder):
    row = state.store().study(state.store().create_study(default_study("hmda")))
    ident = upload.import_study("s.json", study_file(row))
    assert ident != row.id and state.store().study(ident).spec.roles == row.spec.roles
