from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.audit.compare import Line
from core.data.load import save_upload
from core.metrics.measure import parse
from core.store.audits import add_audit
from core.types import AuditSpec, Value
from pages._ui.audit_compare import said


@pytest.fixture
def ident(folder):
    """Column `new` mends a third of the women's errors of `old` and none of the men's."""
    folder.mkdir(parents=True, exist_ok=True)
    y = np.arange(600) % 2
    old = np.where(np.arange(600) % 5 < 2, 1 - y, y)
    women = np.arange(600) < 300
    new = np.where(women & (np.arange(600) % 5 == 0), y, old)
    frame = pd.DataFrame({"y": y, "new": new, "old": old, "sex": np.where(women, "women", "men")})
    data = save_upload(folder, "two.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Two", data, AuditSpec("y", "1", ("new", "old"), attributes=("sex",))).id


def table(at, column):
    return next(d.value for d in at.dataframe if column in d.value)


def test_the_group_that_gains_is_named_and_the_other_said_to_be_open(app, ident):
    at = app("audit", audit=ident, view="compare")
    assert not at.exception
    assert "accuracy better for women (+20.0 points); for the other 1 chance could make the difference" in texts(at)
    shown = table(at, "verdict").set_index("group")
    assert shown.loc["women", "verdict"] == "✓ better" and shown.loc["men", "verdict"] == "? cannot tell"
    assert shown.loc["women", "first"] == "80.0 %" and shown.loc["women", "second"] == "60.0 %"
    assert shown.loc["women", "changed"].startswith("20.0 %") and shown.loc["men", "changed"].startswith("0.0 %")


def test_gaps_of_both_models_stand_side_by_side(app, ident):
    gaps = table(app("audit", audit=ident, view="compare"), "measure").set_index("measure")
    row = gaps.loc[parse("accuracy.gap").title]
    assert (row["first"], row["second"]) == ("20.0 %", "0.0 %")


def test_turning_the_models_round_turns_the_verdict(app, ident):
    at = app("audit", audit=ident, view="compare", model="1", **{"with": "0"})
    assert table(at, "verdict").set_index("group").loc["women", "verdict"] == "✕ worse"


def test_without_a_second_model_the_question_is_not_asked(app, ident):
    at = app("audit", audit=ident, **{"with": ""})
    assert not at.exception


def line(group, value, better, p=0.5, undefined=None):
    difference = Value(value, value - 0.1, value + 0.1, 10.0, undefined)
    return Line(group, 10, "tpr", 0.5, 0.5 + value, difference, p, p, better)


def test_the_sentence_counts_what_chance_could_make():
    lines = [line("a", 0.2, True), line("b", -0.3, False), line("c", 0.0, None), line("everyone", 0.0, None)]
    text = said(lines, "True positive rate")
    assert text == ("true positive rate better for a (+20.0 points) and worse for b (-30.0 points); for the other 1 "
                    "chance could make the difference.")
    none = said([line("a", 0.0, None), line("everyone", 0.0, None)], "True positive rate")
    assert none.startswith("no difference")
    gone = said([line("a", float("nan"), None, undefined="0 positives"), line("everyone", 0.1, None)], "TPR")
    assert "not defined in any group" in gone
