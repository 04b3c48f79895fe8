from __future__ import annotations

import pytest

from core.data.sets.communities_crime import BLACK, DATASET, LABEL


def test_rows_columns_and_label(opened):
    crime = opened(DATASET)
    assert crime.frame.shape == (1_994, 128)
    assert crime.data.roles.task == "regression" and (crime.data.y.min(), crime.data.y.max()) == (0, 1)
    assert crime.data.y.mean() == pytest.approx(0.238, abs=1e-3)


def test_twenty_four_columns_are_mostly_missing_and_left_out(opened):
    crime = opened(DATASET)
    missing = crime.frame.isna().mean()
    mostly = set(missing.index[missing > 0.5])
    assert len(mostly) == 24 and mostly <= set(crime.data.roles.dropped)
    assert crime.data.frame.isna().sum().sum() == 1


def test_two_classes_are_cut_at_the_documented_rate(opened):
    crime = opened(DATASET, as_classes=True)
    assert crime.data.classes == (f"{LABEL} under 0.28", f"{LABEL} 0.28 or more")
    assert crime.data.y.mean() == pytest.approx(0.305, abs=1e-3)


def test_the_share_of_black_inhabitants_is_scaled_and_cut_in_thirds(opened):
    crime = opened(DATASET)
    assert crime.frame[BLACK].max() == 1 and crime.frame[BLACK].median() == 0.06
    assert len(crime.sizes) == 3 and min(crime.sizes.values()) > 600
