from __future__ import annotations

from core.data.load import save_upload
from core.store.audits import add_audit, audits
from core.types import AuditSpec

CSV = b"y,said,sex\nyes,yes,f\nno,yes,m\nyes,no,m\nno,no,f\n"


def test_an_uploaded_table_begins_an_audit_and_asks_for_the_columns(app, folder):
    at = app("audit")
    at.file_uploader(key="audit:file").upload("said.csv", CSV).run()
    assert "4 rows and 3 columns" in at.success[0].value.replace("\\", "")
    at.button(key="audit:begin").click().run()
    assert not at.exception and audits(folder)[0].title == "said.csv" and audits(folder)[0].spec is None
    assert any(b.label == "Audit these columns" for b in at.button)


def test_a_file_that_is_no_table_is_refused_in_one_sentence(app, folder):
    at = app("audit")
    at.file_uploader(key="audit:file").upload("x.csv", b"\x00\x01\x02\xff" * 50).run()
    assert not at.exception and len(at.error) == 1 and audits(folder) == []


def test_kept_audits_are_listed_opened_and_deleted(app, folder):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, "said.csv", CSV)
    kept = add_audit(folder, "Mine", data, AuditSpec("y", "yes", ("said",), attributes=("sex",)))
    at = app("audit")
    at.button(key=f"audit:open:{kept.id}").click().run()
    assert not at.exception and at.query_params["audit"] in (kept.id, [kept.id])
    at.button(key="audit:close").click().run()
    assert "audit" not in at.query_params
    at.button(key=f"audit:delete:{kept.id}").click().run()
    assert audits(folder) == [] and not at.exception
