from __future__ import annotations

import pytest

from core.data.sets.resume_names import DATASET


def test_rows_rate_and_the_causal_gap(opened):
    resumes = opened(DATASET)
    assert resumes.frame.shape == (4_870, 27)
    assert resumes.data.classes == ("no call", "called back") and resumes.data.y.sum() == 392
    by_race = resumes.frame.groupby("race of the name")["answer"].agg(["size", lambda c: (c == "called back").mean()])
    assert by_race.loc["Black-sounding name"].tolist() == pytest.approx([2_435, 0.0645], abs=1e-4)
    assert by_race.loc["White-sounding name"].tolist() == pytest.approx([2_435, 0.0965], abs=1e-4)


def test_smallest_group_is_black_sounding_mens_names(opened):
    resumes = opened(DATASET)
    label = min(resumes.sizes, key=resumes.sizes.get)
    assert label == "Black-sounding name, man's name" and resumes.sizes[label] == 549
    assert resumes.rates[label] * 549 == pytest.approx(32)


def test_the_name_itself_is_no_feature_because_it_is_the_treatment(opened):
    resumes = opened(DATASET)
    assert resumes.frame["name"].nunique() == 36 and "name" not in resumes.data.frame
    assert resumes.frame.groupby("name")["race of the name"].nunique().max() == 1
    assert "caused by the name" in DATASET.card.harms[0]


def test_asked_experience_of_none_is_a_word(opened):
    column = opened(DATASET).frame["experience asked for"]
    assert column.isna().sum() == 0 and (column == "none").sum() == 2_746
