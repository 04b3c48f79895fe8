from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
from streamlit.testing.v1 import AppTest

from core.audit.prepare import make_predictions
from core.audit.why import why
from core.types import AuditSpec
from pages._ui import audit_why_tables


def found():
    """Women fare better in part a and worse in b; all people of part c are men; a column of names parts nobody."""
    cells = [("women", "a", 30, 10), ("men", "a", 10, 10), ("women", "b", 5, 15), ("men", "b", 25, 15),
             ("men", "c", 9, 1)]
    rows = [(sex, part, "yes") for sex, part, yes, _ in cells for _ in range(yes)]
    rows += [(sex, part, "no") for sex, part, _, no in cells for _ in range(no)]
    frame = pd.DataFrame(rows, columns=["sex", "part", "p"]).assign(name=lambda f: [f"n_{k}" for k in range(len(f))])
    checked = make_predictions(frame, AuditSpec("", "yes", ("p",), attributes=("sex",)))
    first = list(checked.groups.labels).index("women")
    return checked, why(checked, first=first, second=1 - first)


def drawn():
    rows, result = found()

    def page(result, subject):
        from pages._ui import audit_why_tables

        audit_why_tables.features(result)
        audit_why_tables.parts(subject, result)
        audit_why_tables.notes(result)

    return AppTest.from_function(page, kwargs={"result": result, "subject": SimpleNamespace(rows=rows)}).run()


def test_the_split_of_every_feature_adds_up_and_one_sided_parts_are_told():
    at = drawn()
    assert not at.exception
    features, parts = (d.value for d in at.dataframe)
    row = features.iloc[0]
    numbers = [float(row[name].split(" ")[0].replace("−", "-")) for name in ("composition", "rate", "outside")]
    raw = 100 * (35 / 60 - 44 / 70)
    assert abs(sum(numbers) - raw) < 0.16, "three numbers rounded to a tenth"
    assert row["share"].startswith("undefined") and row["common"] == 100 * 120 / 130
    by_part = parts.set_index("part")
    assert by_part.loc["c", "difference"] == "undefined, people of one group alone"
    assert by_part.loc["c", "first"] == "nobody" and by_part.loc["a", "difference"].startswith("+25.0")


def test_left_out_features_are_named_with_their_reason():
    at = drawn()
    shown = at.caption[0].value.replace("\\", "")
    assert "Left out: name (130 values with fewer than 10 rows each)." in shown


def test_a_pair_of_features_is_named_by_both():
    assert audit_why_tables.label(SimpleNamespace(names=("age", "town"))) == "age with town"
