from __future__ import annotations

import pytest

from core.data.sets.credit_taiwan import DATASET


def test_rows_rate_and_rate_by_sex(opened):
    credit = opened(DATASET)
    assert credit.frame.shape == (30_000, 24)
    assert credit.data.classes == ("no default", "default") and credit.data.y.sum() == 6_636
    by_sex = credit.frame.groupby("sex")["next month"].agg(["size", lambda c: (c == "default").mean()])
    assert by_sex.loc["women"].tolist() == pytest.approx([18_112, 0.2078], abs=1e-4)
    assert by_sex.loc["men"].tolist() == pytest.approx([11_888, 0.2417], abs=1e-4)


def test_undocumented_codes_stay_visible_as_such(opened):
    frame = opened(DATASET).frame
    education = frame["education"].value_counts()
    assert [education[f"undocumented ({k})"] for k in (0, 5, 6)] == [14, 280, 51]
    assert frame["marriage"].value_counts()["undocumented (0)"] == 54
    assert (frame["months behind, September"] == -2).sum() == 2_759


def test_crossing_three_attributes_gives_cells_of_one_person(opened):
    cells = opened(DATASET).frame.groupby(["sex", "education", "marriage"]).size()
    assert len(cells) == 45 and (cells == 1).sum() >= 4


def test_tiny_groups_are_put_together_and_named(opened):
    credit = opened(DATASET)
    assert credit.sizes["women, university"] == 8_656 and credit.sizes["other (merged)"] == 107
    assert "men, undocumented (0)" in credit.groups.merged and "women, undocumented (5)" in credit.groups.labels


def test_months_are_named_in_the_order_of_the_file(opened):
    columns = list(opened(DATASET).frame.columns)
    assert [c for c in columns if c.startswith("months behind")] == [
        f"months behind, {m}" for m in ("September", "August", "July", "June", "May", "April")
    ]
    assert opened(DATASET).frame.duplicated().sum() == 35
