"""Audits are kept as small files that anybody may damage."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.audits import add_audit, audits, forget_audit, parse_audit, read_audit, update_audit
from core.store.base import NotFound
from core.types import AuditSpec, BadInput, DataSpec

DATA = DataSpec("upload", "loans.csv", digest="a" * 64)
SPEC = AuditSpec("repaid", "yes", ("said",), ("p",), 0.4, "probability", ("sex", "age"), "w", "person",
                 {"sex": "men"}, "exclude", 5, 0.9)


def test_what_was_kept_is_read_back_and_lists_the_newest_first(tmp_path):
    first, second = add_audit(tmp_path, "Loans", DATA, SPEC), add_audit(tmp_path, "Again", DATA)
    assert read_audit(tmp_path, first.id) == first and first.spec == SPEC
    assert [kept.id for kept in audits(tmp_path)] == [second.id, first.id] and second.spec is None
    assert first.id != second.id and len(first.id) >= 12


def test_columns_and_title_can_be_changed_and_an_audit_deleted(tmp_path):
    kept = add_audit(tmp_path, "Loans", DATA)
    assert update_audit(tmp_path, kept.id, spec=SPEC).spec == SPEC
    assert update_audit(tmp_path, kept.id, title="Loans 2").spec == SPEC
    assert read_audit(tmp_path, kept.id).title == "Loans 2"
    forget_audit(tmp_path, kept.id)
    with pytest.raises(NotFound):
        read_audit(tmp_path, kept.id)


@pytest.mark.parametrize("ident", ["../../etc/passwd", "", "a b c d e f", "unknown1"])
def test_an_unknown_or_forged_name_is_not_found(tmp_path, ident):
    with pytest.raises(NotFound):
        read_audit(tmp_path, ident)


@pytest.mark.parametrize(("change", "word"), [
    ({"format": "other"}, "format"), ({"more": 1}, "more"), ({"spec": {"level": 2}}, "level"),
    ({"spec": {"score_kind": "odds"}}, "score_kind"), ({"spec": {"missing": "drop"}}, "missing"),
    ({"spec": {"min_n": -1}}, "min_n"), ({"spec": {"weights": "w"}}, "weights"), ({"data": 3}, "data")])
def test_a_damaged_file_is_refused_in_one_sentence_and_hides_no_other(tmp_path, change, word):
    kept = add_audit(tmp_path, "Loans", DATA, SPEC)
    path = tmp_path / "audits" / f"{kept.id}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BadInput, match=word):
        read_audit(tmp_path, kept.id)
    other = add_audit(tmp_path, "Sound", DATA)
    assert [found.id for found in audits(tmp_path)] == [other.id]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_raise_anything_but_bad_input(content):
    with pytest.raises(BadInput):
        parse_audit("abcdef", content)
