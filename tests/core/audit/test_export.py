from __future__ import annotations

import json

import pandas as pd
import pytest

from core.audit.audit import audit
from core.audit.export import hidden_groups, to_csv, to_html, to_json
from core.audit.prepare import make_predictions
from core.types import AuditSpec

GROUPS = ["=cmd()"] * 4 + ["<script>"] * 40 + ["c"] * 80
TABLE = pd.DataFrame({"y": list("1100") * 31, "p": list("1010") * 31, "g": GROUPS})
FOUND = audit(make_predictions(TABLE, AuditSpec("y", "1", ("p",), attributes=("g",))), draws=100)


def test_names_cannot_run():
    assert "'=cmd()" in to_csv(FOUND) and ",=cmd" not in to_csv(FOUND)
    assert "<script>" not in to_html(FOUND) and "&lt;script&gt;" in to_html(FOUND)


def test_json_comes_back():
    assert json.loads(to_json(FOUND)) == FOUND.to_dict()


def test_a_single_small_group_takes_the_next_with_it():
    assert hidden_groups(FOUND, 5) == {"=cmd()", "<script>"}
    obj = json.loads(to_json(FOUND, suppress_under=5))
    assert [g["n"] for g in obj["groups"]] == [80, None, None]
    assert obj["reductions"]["tpr.gap"]["value"] is None


def hidden_by_subtraction(text):
    """What a reader can work out: rows and cells of everyone less those of the groups shown."""
    obj = json.loads(text)
    shown = [g for g in obj["groups"] if g["n"] is not None]
    return {cell: sum(g.counts[cell] for g in FOUND.groups) - sum(g["counts"][cell] for g in shown)
            for cell in ("tp", "fp", "fn", "tn")}, len(obj["groups"]) - len(shown)


@pytest.mark.parametrize("under", range(2, 40))
def test_nothing_small_can_be_worked_out_by_subtraction(under):
    left, groups = hidden_by_subtraction(to_json(FOUND, suppress_under=under))
    assert groups != 1
    if any(0 < n < under for n in left.values()):  # all groups together are too few: their rates are hidden as well
        overall = json.loads(to_json(FOUND, suppress_under=under))["overall"]
        assert groups == 3 and all(v["value"] is None and v["n"] is None for v in overall.values())


def test_the_number_of_rows_left_out_cannot_be_worked_out_either():
    frame = pd.concat([TABLE, TABLE.iloc[:2].assign(y=None)], ignore_index=True)
    found = audit(make_predictions(frame, AuditSpec("y", "1", ("p",), attributes=("g",))), draws=100)
    obj = json.loads(to_json(found, suppress_under=5))
    assert obj["excluded"] == [{"reason": "missing label", "n": None}] and obj["n"] is None
    assert "of hidden, few rows counted" in to_html(found, suppress_under=5)
