from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec
from pages._ui.audit_enough import said


@pytest.fixture
def ident(folder):
    """2,000 men, 2,000 women and 8 others; two in three are selected."""
    folder.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"y": np.arange(4008) % 2, "said": np.arange(4008) % 3 > 0,
                          "sex": ["men"] * 2000 + ["women"] * 2000 + ["others"] * 8})
    data = save_upload(folder, "few.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Few", data, AuditSpec("y", "1", ("said",), attributes=("sex",))).id


def shown(at):
    return next(d.value for d in at.dataframe if "needed" in d.value).set_index("group")


def test_large_groups_are_enough_and_a_tiny_one_is_told_how_many_it_needs(app, ident):
    at = app("audit", audit=ident, view="enough")
    assert not at.exception and "in 2 of 3 groups" in texts(at)
    table = shown(at)
    assert table.loc["men", "mark"] == "✓ enough" and table.loc["others", "mark"] == "✕ too few"
    assert 100 < int(table.loc["others", "needed"].replace(",", "")) < 400 and table.loc["others", "n"] == 8
    assert "In others the chance is" in texts(at).replace("\u2060", "")


def test_a_smaller_gap_takes_more_rows_and_lies_in_the_address(app, ident):
    wide, narrow = (shown(app("audit", audit=ident, view="enough", engap=g)) for g in ("20", "5"))
    rows = [int(t.loc["others", "needed"].replace(",", "")) for t in (wide, narrow)]
    assert rows[1] > 5 * rows[0]


def test_a_tiny_group_is_drawn_towards_the_common_rate(app, ident):
    table = shown(app("audit", audit=ident, view="enough", enrate="selection_rate"))
    raw, borrowed = (float(table.loc["others", c].split(" %")[0]) for c in ("raw", "borrowed"))
    common = float(table.loc["men", "raw"].split(" %")[0])
    assert abs(borrowed - common) < abs(raw - common) or raw == pytest.approx(common, abs=1)


def test_the_sentence_says_when_the_others_are_too_few_or_nothing_can_be_said():
    def group(power, needed):
        return SimpleNamespace(group="a", n=5, power=power, needed=needed)

    found = SimpleNamespace(slug="tpr", gap=0.1, power=0.8, groups=[group(0.2, np.inf)])
    assert "the others are too few as well" in said(found)
    found = SimpleNamespace(slug="tpr", gap=0.1, power=0.8, groups=[group(np.nan, np.nan)])
    assert "No group has rows" in said(found)
