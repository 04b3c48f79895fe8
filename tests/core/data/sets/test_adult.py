from __future__ import annotations

import pytest

from core.data.sets.adult import DATASET


def test_rows_rate_and_groups_are_those_of_the_census_file(opened):
    adult = opened(DATASET)
    assert adult.frame.shape == (48_842, 16)
    assert adult.data.classes == ("<=50K", ">50K")
    assert adult.data.y.sum() == 11_687
    assert adult.sizes["men, White"] == 28_735 and adult.sizes["women, other race"] == 155
    assert adult.rates["women, other race"] * 155 == pytest.approx(11)
    assert len(adult.sizes) == 10 and min(adult.sizes.values()) == 155


def test_rate_by_sex_is_unequal(opened):
    adult = opened(DATASET)
    by_sex = adult.frame.groupby("sex")["income"].agg(["size", lambda c: (c == ">50K").mean()])
    assert by_sex.loc["men"].tolist() == pytest.approx([32_650, 0.3038], abs=1e-4)
    assert by_sex.loc["women"].tolist() == pytest.approx([16_192, 0.1093], abs=1e-4)


def test_question_marks_are_missing(opened):
    missing = opened(DATASET).frame.isna().sum()
    assert missing[missing > 0].to_dict() == {"workclass": 2_799, "occupation": 2_809, "native country": 857}


def test_weight_split_and_repeated_education_are_no_features(opened):
    adult = opened(DATASET)
    assert set(adult.data.roles.dropped) == {"fnlwgt", "education num", "uci split"}
    assert not set(adult.data.roles.dropped) & set(adult.data.frame.columns)
    assert adult.frame.drop(columns="uci split").duplicated().sum() == 52
    assert adult.frame.groupby("education")["education num"].nunique().max() == 1
