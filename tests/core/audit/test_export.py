from __future__ import annotations

import json

import pandas as pd

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
