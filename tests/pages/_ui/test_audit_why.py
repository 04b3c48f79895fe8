from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec

BERKELEY = {"A": (825, 62, 108, 82), "B": (560, 63, 25, 68), "C": (325, 37, 593, 34), "D": (417, 33, 375, 35),
            "E": (191, 28, 393, 24), "F": (373, 6, 341, 7)}


def brought(folder, frame, spec, title="Why"):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, f"{title}.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, title, data, spec).id


@pytest.fixture
def ident(folder):
    """Admissions to Berkeley in 1973, with a column of noise."""
    rows = [(d, sex, word) for d, (men, share_m, women, share_w) in BERKELEY.items()
            for sex, n, share in (("men", men, share_m), ("women", women, share_w))
            for word, times in (("yes", round(n * share / 100)), ("no", n - round(n * share / 100)))
            for _ in range(times)]
    frame = pd.DataFrame(rows, columns=["department", "sex", "admitted"])
    frame["coin"] = np.random.default_rng(0).integers(0, 2, len(frame))
    return brought(folder, frame, AuditSpec("", "yes", ("admitted",), attributes=("sex",)))


def table(at, column):
    return next(d.value for d in at.dataframe if column in d.value)


def test_berkeley_is_told_to_turn_around_within_departments(app, ident):
    at = app("audit", audit=ident, view="why")
    assert not at.exception
    said = texts(at)
    assert "women are predicted yes less often than men: −14.2 points (−17.0 to −11.3)" in said
    assert "department accounts for 125 %" in said and "+4.3 (+0.5 to +7.5) points are left" in said
    assert "67 % of the people of department the difference turns around" in said.replace("In parts with ", "")
    reasons = table(at, "turned").set_index("feature")
    assert reasons.loc["department", "p"] == "p < 0.001" and reasons.loc["coin", "turned"] == "no"
    parts = table(at, "part").set_index("part")
    assert parts.loc["A", "first"] == "82.4 %" and parts.loc["A", "n_second"] == 825


def test_the_other_way_round_has_the_other_sign_and_lies_in_the_address(app, ident):
    at = app("audit", audit=ident, view="why", why_first="0", why_feature="coin")
    assert "men are predicted yes more often than women: +14.2 points" in texts(at)
    assert set(table(at, "part")["part"]) == {"0", "1"}


def test_pairs_of_features_are_tried_when_asked(app, ident):
    at = app("audit", audit=ident, view="why", why_pairs="1")
    assert "department accounts for 125 %" in texts(at), "one feature is named before two"
    assert not at.exception and "department with coin" in set(table(at, "turned")["feature"])


def test_a_name_with_markup_is_shown_as_it_is_and_useless_features_are_named(app, folder):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"s": rng.choice(["yes", "no"], 400), "g": rng.choice(["a", "b"], 400),
                          "**x** $1": rng.normal(size=400), "same": "k"})
    ident = brought(folder, frame, AuditSpec("", "yes", ("s",), attributes=("g",)), "Odd")
    at = app("audit", audit=ident, view="why")
    said = texts(at)
    assert not at.exception and "Chance alone could make this difference" in said and "same (one value)" in said
    assert "No feature surely has anything to do with it (1 looked at)" in said


def test_scores_without_a_cut_are_asked_about_the_truth(app, folder):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"s": rng.random(200), "y": ["yes"] * 80 + ["no"] * 120, "g": ["a", "b"] * 100,
                          "x": rng.normal(size=200)})
    ident = brought(folder, frame, AuditSpec("y", "yes", (), ("s",), attributes=("g",)), "Scores")
    at = app("audit", audit=ident, view="why")
    assert not at.exception and "are truly yes as often as" in texts(at)
