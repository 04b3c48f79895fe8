from __future__ import annotations

import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec

COLUMNS = ["Fairlearn", "AIF360", "Aequitas", "OxonFair"]


@pytest.fixture
def ident(folder):
    """Twelve rows whose numbers are known in every tool, ten times over."""
    frame = pd.DataFrame({"y": list("1100" * 3) * 10, "said": list("111010000000") * 10,
                          "team": list("aaaabbbbcccc") * 10, "w": [1.0, 2.0, 3.0] * 40})
    return kept(folder, frame, AuditSpec("y", "1", ("said",), attributes=("team",), reference={"team": "a"}))


def kept(folder, frame, spec):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, "peers.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Peers", data, spec).id


def table(at, column="title"):
    return next(d.value for d in at.dataframe if column in d.value and "Fairlearn" in d.value or
                column == "sign" and "sign" in d.value)


def test_one_row_a_quantity_with_a_sign_where_a_number_is_not_ours(app, ident):
    at = app("audit", audit=ident, view="peers")
    assert not at.exception
    found = table(at).set_index("title")
    assert found.loc["Demographic parity difference", COLUMNS].tolist() == ["= 0.750", "≠ -0.625", "–", "≠ 0.500"]
    assert found.loc["Demographic parity ratio", COLUMNS].tolist() == [
        "= 0.000", "≠ 0.167", "⋯ b 0.333, c 0.000", "≠ 0.111"]
    assert found.loc["Coefficient of variation", "AIF360"] == "= 0.663"
    assert found.loc["Demographic parity difference", "ours"].startswith("0.750 (")
    assert found.index.is_unique and "Interval of the selection gap" in found.index


def test_the_sentence_names_the_reference_group_and_reasons_stand_beneath(app, ident):
    said = texts(app("audit", audit=ident, view="peers"))
    assert "AIF360 needs a privileged group: it is a" in said and "are not ours" in said
    assert "OxonFair averages over all pairs of groups" in said and "keeps the sign" in said
    assert "Weights:" not in said


def test_every_number_of_one_quantity_lies_in_the_address(app, ident):
    at = app("audit", audit=ident, view="peers", peersof="equalized_odds_difference")
    found = table(at, "sign").set_index(["tool", "name"])
    assert found.loc[("AIF360", "average_odds_difference"), "value"] == "-0.625"
    assert found.loc[("OxonFair", "equalized_odds_max"), "sign"] == "="
    assert found.loc[("OxonFair", "equalized_odds"), "why"].startswith("OxonFair averages both rates")


def test_weights_say_who_honours_them(app, folder):
    frame = pd.DataFrame({"y": list("1100" * 3), "said": list("111010000000"), "team": list("aaaabbbbcccc"),
                          "w": [1.0, 2.0, 3.0] * 4})
    ident = kept(folder, frame, AuditSpec("y", "1", ("said",), attributes=("team",), weight="w"))
    said = texts(app("audit", audit=ident, view="peers"))
    assert "Weights: Fairlearn honours them" in said and "every row counts once" in said


def test_words_as_they_are_have_their_own_row_and_groups_are_shown_as_text(app, folder):
    frame = pd.DataFrame({"y": ["yes", "no"] * 20, "said": ["yes"] * 15 + ["no"] * 25,
                          "team": ["*a*"] * 20 + ["b"] * 20})
    ident = kept(folder, frame, AuditSpec("y", "yes", ("said",), attributes=("team",)))
    at = app("audit", audit=ident, view="peers")
    row = table(at).set_index("title").loc["Demographic parity of words as they are"]
    assert row["Fairlearn"] == "≠ 0.000" and row["AIF360"] == "≠ refuses words"
    assert "it is \\*a\\*" in "".join(m.value for m in at.markdown)


def test_scores_without_a_threshold_are_told_what_is_missing(app, folder):
    frame = pd.DataFrame({"y": list("0110") * 10, "score": [0.1, 0.8, 0.3, 0.2] * 10, "team": list("aabb") * 10})
    ident = kept(folder, frame, AuditSpec("y", "1", scores=("score",), attributes=("team",)))
    at = app("audit", audit=ident, view="peers")
    assert not at.exception and any("threshold" in i.value for i in at.info)
