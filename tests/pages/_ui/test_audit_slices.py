from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec, Value
from pages._ui.audit_slices import points


def kept(folder, frame, spec):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, "slices.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Slices", data, spec).id


def drawn(n=3000, extra=0.4):
    """One in ten is predicted wrongly; half of those with job *b* in town x."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"job": rng.choice(["a", "*b*", "c"], n), "town": rng.choice(list("xyz"), n),
                          "sex": rng.choice(["women", "men"], n), "same": "x"})
    y = rng.integers(0, 2, n)
    wrong = rng.random(n) < 0.1 + extra * ((frame["job"] == "*b*") & (frame["town"] == "x"))
    return frame.assign(y=np.where(y == 1, "yes", "no"), said=np.where((y == 1) ^ wrong, "yes", "no"))


SPEC = AuditSpec("y", "yes", ("said",), attributes=("sex",))


@pytest.fixture
def ident(folder):
    return kept(folder, drawn(), SPEC)


def slices(at):
    return next(d.value for d in at.dataframe if "slice" in d.value)


def regions(at):
    return next(d.value for d in at.dataframe if "region" in d.value).set_index("region")


def test_the_worst_slice_is_named_first_with_both_halves(app, ident):
    at = app("audit", audit=ident, view="slices")
    said = "55 of 100 are predicted right, against 91 among everybody else; confirmed on 1,500"
    assert not at.exception and said in texts(at)
    first = slices(at).iloc[0]
    assert set(first["slice"].split(" and ")) == {"job = *b*", "town = x"} and first["mark"] == "✓ confirmed"
    assert first["out_d"].startswith("-") and first["out_p"] < 1e-6 and first["in_n"] + first["out_n"] > 300
    assert "Columns left out: same (one value)" in texts(at)


def test_what_a_person_chose_lies_in_the_address(app, ident):
    at = app("audit", audit=ident, view="slices", sl_of="fpr", sl_most="1", sl_least="20", sl_vs="all")
    assert not at.exception and at.number_input(key="view:sl_most").value == 1
    assert not slices(at)["slice"].str.contains(" and ").any() and slices(at)["share"].min() >= 0.2
    assert "of 100 of those who are not yes are predicted yes" in texts(at) and "among everyone" in texts(at)


def test_nothing_is_confirmed_where_errors_fall_anywhere(app, folder):
    at = app("audit", audit=kept(folder, drawn(extra=0.0), SPEC), view="slices")
    assert not at.exception and "**" not in texts(at)
    assert "No slice stands out" in texts(at) or "No slice is confirmed" in texts(at)


def test_parity_overall_and_gaps_of_a_hundred_points_within_regions(app, folder):
    rows = [("a", "women", "yes"), ("a", "men", "no"), ("b", "women", "no"), ("b", "men", "yes")] * 100
    frame = pd.DataFrame(rows, columns=["job", "sex", "said"]).assign(y=lambda f: f["said"])
    ident = kept(folder, frame, SPEC)
    at = app("audit", audit=ident, view="slices", sl_by="0")
    assert not at.exception and "a gap of 0.0 points" in texts(at) and "the mean gap is 100.0 points" in texts(at)
    table = regions(at)
    assert table.loc["everyone", "gap"].startswith("0.0 %") and table.loc["job = a", "gap"].startswith("100.0 %")
    assert table.loc["job = a", "mark"] == "✕ a gap" and table.loc["job = a", "n"] == 200
    assert table.loc["mean of the three largest", "gap"].startswith("undefined, 2 regions")
    tree = app("audit", audit=ident, view="slices", sl_by="tree")
    assert not tree.exception and {"job = a", "job not a"} <= set(regions(tree).index)


def test_regions_of_two_features_and_those_left_out_are_named(app, ident):
    at = app("audit", audit=ident, view="slices", sl_by="0", sl_and="1", sl_rows="330", sl_rate="error")
    assert not at.exception and "Left out: job" in texts(at) and "fewer than 330" in texts(at)
    assert regions(at).loc["everyone", "n"] == 3000


def test_one_group_and_too_few_rows_are_told_in_words(app, folder):
    at = app("audit", audit=kept(folder, drawn(30), AuditSpec("y", "yes", ("said",))), view="slices")
    assert not at.exception and "because there is one group" in texts(at) and "Rows:" in texts(at)


def test_without_labels_selection_is_searched(app, folder):
    spec = AuditSpec("", "yes", ("said",), attributes=("sex",))
    at = app("audit", audit=kept(folder, drawn().drop(columns="y"), spec), view="slices")
    assert not at.exception and at.selectbox(key="view:sl_of").options == ["Predicted positive"]


def test_points_are_signed_and_undefined_in_words():
    assert points(Value(-0.15, -0.19, -0.112, 30)) == "-15.0 (-19.0 to -11.2)"
    assert points(Value(np.nan, np.nan, np.nan, 0, "no rows in the slice")) == "undefined, no rows in the slice"
