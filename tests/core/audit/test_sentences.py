from __future__ import annotations

from dataclasses import replace

import pandas as pd

from core.audit.audit import audit
from core.audit.prepare import make_predictions
from core.audit.sentences import clip, overview
from core.types import AuditSpec


def said(n):
    table = pd.DataFrame({"y": ["1"] * 2 * n, "p": ["1"] * n + ["1", "0"] * (n // 2), "g": ["men"] * n + ["women"] * n})
    rows = make_predictions(table, AuditSpec("y", "1", ("p",), attributes=("g",), min_n=0))
    return " ".join(overview(rows, audit(rows, draws=50)))


def test_large_differences_on_many_rows_are_more_than_chance():
    assert "50 are predicted 1 among women and 100 among men; the difference is larger than chance" in said(200)


def test_few_rows_do_not_tell():
    assert "larger than chance" not in said(4) and "chance alone could" in said(4)


def test_rows_of_one_person_said_forty_times_do_not_make_a_difference_certain():
    """Eight women and eight men, five and eight of them selected: as persons chance could do it, as 640 rows not."""
    table = pd.DataFrame({"y": "1", "g": ["women"] * 320 + ["men"] * 320, "who": [k // 40 for k in range(640)]})
    table["p"] = [("1" if who % 8 < 5 or who >= 8 else "0") for who in table["who"]]
    spec = AuditSpec("y", "1", ("p",), attributes=("g",), min_n=0)
    rows, persons = make_predictions(table, spec), make_predictions(table, replace(spec, person="who"))
    assert "larger than chance" in " ".join(overview(rows, audit(rows, draws=200)))
    assert "chance alone could" in " ".join(overview(persons, audit(persons, draws=200)))


def test_names_are_clipped():
    assert len(clip("x" * 500)) == 60
