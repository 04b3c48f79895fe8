from __future__ import annotations

import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec


@pytest.fixture
def ident(folder):
    """300 rows a group: women are selected in 10 %, men in 90 %, whatever is true."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(y, s, "women") for y in ("yes", "no") for s in ["yes"] * 15 + ["no"] * 135]
    rows += [(y, s, "men") for y in ("yes", "no") for s in ["yes"] * 135 + ["no"] * 15]
    frame = pd.DataFrame(rows, columns=["y", "said", "sex"])
    data = save_upload(folder, "gap.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Gap", data, AuditSpec("y", "yes", ("said",), attributes=("sex",))).id


def verdicts(at):
    return next(d.value for d in at.dataframe if "verdict" in d.value).set_index("title")["verdict"].to_dict()


def test_a_large_gap_is_beyond_the_bound_and_an_absent_one_within(app, ident):
    at = app("audit", audit=ident, view="gaps")
    found = verdicts(at)
    assert found["Demographic parity gap"] == "✕ beyond" and "Beyond the bound: demographic parity gap" in texts(at)
    assert found["Predictive parity gap"] == "? cannot tell"


def test_a_wide_bound_is_kept_and_lies_in_the_address(app, ident):
    at = app("audit", audit=ident, view="gaps", bound="95")
    assert verdicts(at)["Demographic parity gap"] == "✓ within"
    assert "No criterion is surely beyond the bound" in texts(at)


def test_ratios_have_the_four_fifths_as_their_first_bound(app, ident):
    at = app("audit", audit=ident, view="gaps", form="ratio")
    assert at.number_input(key="view:bound").value == 80
    assert verdicts(at)["Demographic parity ratio"] == "✕ beyond"
