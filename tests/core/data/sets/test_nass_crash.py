from __future__ import annotations

import numpy as np
import pytest

from core.data.sets.nass_crash import DATASET
from core.data.split import make_splits
from core.types import SplitSpec


def test_rows_rates_and_groups_without_weights(opened):
    crash = opened(DATASET, use_weights=False)
    assert crash.frame.shape == (26_217, 15)
    assert crash.data.classes == ("survived", "died") and crash.data.y.sum() == 1_180
    by_sex = crash.frame.groupby("sex")["outcome"].agg(["size", lambda c: (c == "died").mean()])
    assert by_sex.loc["men"].tolist() == pytest.approx([13_969, 0.0513], abs=1e-4)
    assert by_sex.loc["women"].tolist() == pytest.approx([12_248, 0.0379], abs=1e-4)
    assert crash.sizes["women, no airbag"] == 4_961
    deaths = {g: round(crash.rates[g] * n) for g, n in crash.sizes.items()}
    assert min(deaths.items(), key=lambda item: item[1]) == ("women, airbag", 211)
    assert crash.data.weight is None and "weight" not in crash.data.frame


def test_weights_lower_the_rate_to_a_half_percent_and_leave_out_rows_of_weight_zero(opened):
    crash = opened(DATASET)
    assert len(crash.frame) == 26_217 - 212 and crash.table.notes[0].startswith("212 rows of weight zero")
    assert crash.data.y.sum() == 1_180
    assert np.average(crash.data.y, weights=crash.data.weight) == pytest.approx(0.0054, abs=5e-5)
    effective = crash.data.weight.sum() ** 2 / (crash.data.weight**2).sum()
    assert effective == pytest.approx(2_211, abs=1)


def test_injury_severity_nearly_tells_who_died_and_is_left_out(opened):
    crash = opened(DATASET, use_weights=False)
    died = crash.frame.loc[crash.frame["outcome"] == "died", "injury severity"]
    assert (died == 4).sum() == 1_084 and len(died) == 1_180
    assert (crash.frame["injury severity"] == 4).sum() == 1_118
    assert "injury severity" not in crash.data.frame


def test_people_of_one_crash_stay_in_one_part_of_the_split(opened):
    crash = opened(DATASET)
    assert crash.frame["crash"].nunique() < len(crash.frame)
    assert crash.frame.groupby("crash")["weight"].nunique().max() == 1
    parts = [set(crash.frame["crash"].iloc[rows]) for rows in make_splits(crash.data, crash.groups, SplitSpec())]
    assert not (parts[0] & parts[1] or parts[0] & parts[2] or parts[1] & parts[2])
