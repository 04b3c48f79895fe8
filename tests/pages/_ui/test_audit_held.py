from __future__ import annotations

import pandas as pd
import pytest

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec, BadInput
from pages._ui import audit_held
from pages._ui.audit_held import Subject

FRAME = pd.DataFrame({"y": ["yes", "no", "yes", "no"] * 5, "said": ["yes", "yes", "no", "no"] * 5,
                      "sex": ["f", "f", "m", "m"] * 5})
SPEC = AuditSpec("y", "yes", ("said",), attributes=("sex",))


@pytest.fixture
def kept(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return add_audit(folder, "Toy", save_upload(folder, "toy.csv", FRAME.to_csv(index=False).encode()))


def test_the_rows_of_a_table_are_checked_once(kept):
    first, again = audit_held.of_table(kept, SPEC), audit_held.of_table(kept, SPEC)
    assert first is again and first.n == 20 and first.classes == ("no", "yes")
    with pytest.raises(BadInput, match="Positive"):
        audit_held.of_table(kept, AuditSpec("y", "perhaps", ("said",)))


def test_everything_is_computed_once_for_a_subject_and_anew_for_another(kept):
    rows, calls = audit_held.of_table(kept, SPEC), []
    subjects = [Subject(key, "Toy", rows, "table") for key in ("a", "a", "b")]
    found = [audit_held.computed(s, "what", lambda: calls.append(1) or len(calls)) for s in subjects]
    assert found == [1, 1, 2]


def test_the_audit_counts_the_chosen_model(kept):
    found = audit_held.audited(Subject("k", "Toy", audit_held.of_table(kept, SPEC), "table"))
    assert {g.label: g.metrics["tpr"].value for g in found.groups} == {"f": 1.0, "m": 0.0}
    assert found.overall["accuracy"].value == pytest.approx(0.5)
