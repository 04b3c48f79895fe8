from __future__ import annotations

import pytest

from core.data.sets.german_credit import DATASET


def test_rows_rate_and_age_groups(opened):
    german = opened(DATASET)
    assert german.frame.shape == (1_000, 21)
    assert german.data.classes == ("good", "bad") and german.data.y.sum() == 300
    assert german.sizes == {"age 26+": 810, "age under 26": 190}
    assert german.rates["age under 26"] == pytest.approx(80 / 190)


def test_sex_is_not_offered_because_one_code_mixes_women_and_men(opened):
    german = opened(DATASET)
    assert german.frame["sex and marital status"].value_counts()["woman not single, or man single"] == 310
    assert not any("sex" in a for a in german.data.roles.attributes)
    assert "Sex cannot be recovered" in DATASET.card.harms[0]


def test_codes_are_worded_after_the_corrected_table(opened):
    frame = opened(DATASET).frame
    bad = frame.groupby("checking account")["risk"].agg(["size", lambda c: (c == "bad").sum()])
    assert bad.loc["no checking account"].tolist() == [274, 135]
    assert bad.loc["200 DM or more, or salary account"].tolist() == [394, 46]
    assert frame["foreign worker"].value_counts()["foreign worker"] == 37
    assert frame["dependants"].value_counts()["3 or more"] == 155
    assert frame["housing"].value_counts()["rented"] == 713


def test_no_code_is_left(opened):
    frame = opened(DATASET).frame
    words = frame.select_dtypes("string")
    assert words.shape[1] == 18 and not words.apply(lambda c: c.str.fullmatch(r"A\d+").any()).any()
