from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.enough import enough
from core.audit.prepare import make_predictions
from core.power import rows_beside
from core.types import AuditSpec, BadInput


def table(sizes=(400, 400, 12), seed=0):
    rng = np.random.default_rng(seed)
    n = sum(sizes)
    y = rng.integers(0, 2, n)
    return pd.DataFrame({"y": y, "p": np.where(rng.random(n) < 0.3, 1 - y, y),
                         "g": np.repeat([f"g{k}" for k in range(len(sizes))], sizes), "one": np.arange(n),
                         "four": np.arange(n) // 4, "w": 1.0})


def rows(frame, **more):
    return make_predictions(frame, AuditSpec("y", "1", ("p",), attributes=("g",), **more))


def by_group(found):
    return {g.group: g for g in found.groups}


def test_rates_and_rows_behind_them_are_counted():
    frame = table()
    found = by_group(enough(rows(frame), 0, "tpr"))
    part = frame[(frame["g"] == "g2") & (frame["y"] == 1)]
    assert found["g2"].behind == len(part) and found["g2"].n == 12
    assert found["g2"].raw.value == pytest.approx((part["p"] == 1).mean())
    assert found["g2"].raw.low < found["g2"].shrunken.low and found["g2"].weight > found["g0"].weight


def test_needed_rows_count_all_rows_of_the_group():
    frame = table()
    one = by_group(enough(rows(frame), 0, "tpr", gap=0.15))["g2"]
    others = frame[(frame["g"] != "g2") & (frame["y"] == 1)]
    rate, level = (others["p"] == 1).mean(), 1 - 0.05 / 3
    away = rate + 0.15 if rate + 0.15 <= 1 else rate - 0.15
    positives = float(rows_beside(away, rate, len(others), 0.8, level))
    assert one.needed == pytest.approx(np.ceil(positives / one.share)) and one.power < 0.8


def test_two_groups_are_one_comparison_and_see_the_same():
    found = enough(rows(table((300, 300))), 0, "accuracy")
    assert found.level == pytest.approx(0.95)
    assert found.groups[0].power == pytest.approx(found.groups[1].power, abs=0.05)


def test_rows_of_one_person_count_less():
    alone, persons = (by_group(enough(rows(table(), person=who), 0, "accuracy")) for who in ("one", "four"))
    assert persons["g0"].behind == pytest.approx(alone["g0"].behind / 4)
    assert persons["g0"].least > alone["g0"].least


def test_equal_weights_change_nothing_and_unequal_ones_leave_fewer_rows():
    frame = table()
    plain = by_group(enough(rows(frame), 0, "accuracy"))["g0"]
    same = by_group(enough(rows(frame, weight="w"), 0, "accuracy"))["g0"]
    frame["w"] = np.where(np.arange(len(frame)) % 2, 3.0, 1.0)
    fewer = by_group(enough(rows(frame, weight="w"), 0, "accuracy"))["g0"]
    assert same.behind == pytest.approx(plain.behind) and fewer.behind == pytest.approx(0.8 * plain.behind)


def test_a_group_without_positives_is_undefined_and_the_others_keep_their_words():
    frame = table()
    frame.loc[frame["g"] == "g2", "y"] = 0
    found = by_group(enough(rows(frame), 0, "tpr"))
    assert found["g2"].raw.undefined and np.isnan(found["g2"].needed) and found["g0"].raw.undefined is None


def test_one_group_has_nothing_to_borrow_from():
    frame = table().assign(g="all")
    found = enough(rows(frame), 0, "accuracy")
    assert found.groups[0].shrunken.undefined and np.isnan(found.groups[0].power)


@pytest.mark.parametrize(("slug", "gap", "said"), [("mcc", 0.1, "one of accuracy"), ("tpr", 0.0, "between 0 and 1")])
def test_other_rates_and_gaps_are_refused(slug, gap, said):
    with pytest.raises(BadInput, match=said):
        enough(rows(table()), 0, slug, gap)
