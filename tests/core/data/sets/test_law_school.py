from __future__ import annotations

import pytest

from core.data.sets.law_school import DATASET


def test_rows_rate_and_groups(opened):
    law = opened(DATASET)
    assert law.frame.shape == (21_791, 6)
    assert law.data.classes == ("passed", "failed") and law.data.y.sum() == 2_431
    assert len(law.sizes) == 8 and law.sizes["American Indian"] == 99
    assert law.rates["Black"] == pytest.approx(0.382, abs=1e-3)
    assert law.rates["White"] == pytest.approx(0.080, abs=1e-3)


def test_smallest_cell_of_race_and_sex(opened):
    frame = opened(DATASET).frame
    cells = frame.groupby(["race", "sex"])["bar exam"].agg(["size", lambda c: (c == "failed").sum()])
    assert cells["size"].idxmin() == ("American Indian", "women")
    assert cells.loc[("American Indian", "women")].tolist() == [39, 12]


def test_the_first_year_average_can_be_the_label_and_then_the_exam_is_no_feature(opened):
    law = opened(DATASET, target="first-year average")
    assert law.data.roles.task == "regression" and law.data.classes == ()
    assert law.data.y.mean() == pytest.approx(0.0964, abs=1e-4)
    assert "bar exam" not in law.data.frame and "first-year average" in opened(DATASET).data.frame


def test_repeated_rows_are_counted_and_kept(opened):
    assert opened(DATASET).frame.duplicated().sum() == 893


def test_the_card_says_that_the_licence_is_unclear():
    assert DATASET.card.licence.startswith("Unclear")
