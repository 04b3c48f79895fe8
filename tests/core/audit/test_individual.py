from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.individual import benefits, cells, individual, kinds
from core.audit.inequality import INDICES, spread
from core.audit.prepare import make_predictions
from core.types import AuditSpec, BadInput


def rows_of(y, p, g, *, min_n=0, **more):
    table = pd.DataFrame({"y": y, "p": p, "g": g, **{k: v for k, v in more.items()}})
    named = {"weight": "w"} if "w" in more else {}
    named |= {"person": "who"} if "who" in more else {}
    scored = {"scores": ("s",), "threshold": 0.5} if "s" in more else {"predictions": ("p",)}
    table = table.drop(columns="p") if "s" in more else table
    return make_predictions(table, AuditSpec("y", "1", attributes=("g",), min_n=min_n, **scored, **named))


def even(n=1000):
    """Two groups with the same errors: 40 in 100 of each are wrong, half of them refused, half accepted."""
    y = np.tile(np.repeat([0, 1], 5), n // 10)
    p = np.tile([1, 1, 0, 0, 0, 0, 0, 1, 1, 1], n // 10)
    return rows_of(np.concatenate([y, y]), np.concatenate([p, p]), ["a"] * n + ["b"] * n)


def test_benefits_are_what_people_get():
    rows = rows_of([1, 1, 0, 0], [1, 0, 1, 0], list("aabb"), s=[0.9, 0.2, 0.7, 0.1])
    assert benefits(rows, 0, "benefit").tolist() == [1, 0, 2, 1]
    assert benefits(rows, 0, "correct").tolist() == [1, 0, 0, 1]
    assert benefits(rows, 0, "score") == pytest.approx([0.9, 0.2, 0.3, 0.9])
    assert kinds(rows, 0) == ("benefit", "correct", "score") and kinds(even(10), 0) == ("benefit", "correct")
    with pytest.raises(BadInput, match="without probabilities"):
        benefits(even(10), 0, "score")
    with pytest.raises(BadInput, match="one of benefit"):
        benefits(rows, 0, "luck")


def test_equal_groups_may_hold_very_unequal_people():
    found = individual(even(), kind="correct", draws=200)
    a, b = (g.mean.value for g in found.groups)
    assert abs(a - b) < 0.01 and found.everyone.indices["gini"].value == pytest.approx(0.4)
    assert found.everyone.indices["gini"].low > 0.3, "the Gini of being right is the error rate"
    theil = found.parts["theil"]
    assert theil.between.value.value < 1e-12 and theil.between.p == 1 and theil.between.value.low == 0
    assert theil.share.value < 1e-9 and theil.within.value == pytest.approx(theil.total.value)
    assert found.across["range"].value.value < 1e-12 and found.across["range"].p == 1


def test_a_real_difference_is_told_from_chance():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    g = np.repeat(["a", "b"], 1000)
    p = np.where(rng.random(2000) < np.where(g == "a", 0.05, 0.35), 1 - y, y)
    found = individual(rows_of(y, p, g), kind="correct")
    gap = found.across["range"]
    assert gap.value.low > 0.2 > gap.chance and gap.p < 0.01 and gap.value.high < 0.4
    assert found.across["worst"].p < 0.01 and found.across["worst"].value.value == pytest.approx(
        min(m.mean.value for m in found.groups))
    assert found.across["f"].p < 0.01 and "chance" in found.across["f"].value.how
    assert 0 < found.parts["entropy"].share.value < 0.5, "most of the inequality lies within even here"


def test_intervals_cover_a_known_gini():
    hits = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 150)
        rows = rows_of(y, np.where(rng.random(150) < 0.3, 1 - y, y), np.where(np.arange(150) < 75, "a", "b"))
        gini = individual(rows, kind="correct", draws=150, seed=seed).everyone.indices["gini"]
        hits += gini.low <= 0.3 <= gini.high
    assert 106 <= hits <= 120  # 95 % of 120 is 114, with a standard error of 2.4


def test_alike_groups_reach_the_chance_level_as_often_as_it_says():
    below, zero, worlds = 0, 0, 150
    for seed in range(worlds):
        rng = np.random.default_rng(1000 + seed)
        y = rng.integers(0, 2, 300)
        rows = rows_of(y, np.where(rng.random(300) < 0.3, 1 - y, y), np.repeat(list("abc"), [150, 100, 50]))
        sd = individual(rows, draws=200, seed=seed).across["sd"]
        below += sd.value.value <= sd.chance
        zero += sd.value.low == 0
    assert 0.89 <= below / worlds <= 0.99 and zero / worlds >= 0.89


def test_nobody_wrong_still_has_an_upper_end():
    rows = rows_of([0, 1] * 20, [0, 1] * 20, ["a"] * 40)
    gini = individual(rows, kind="correct", draws=50).everyone.indices["gini"]
    assert (gini.value, gini.low) == (0, 0) and gini.high == pytest.approx(0.0876, abs=1e-3)
    assert "Wilson" in gini.how and individual(rows, draws=50).everyone.mean.low < 1 < individual(
        rows, draws=50).everyone.mean.high


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(2)
    y, p, w = rng.integers(0, 2, 80), rng.integers(0, 2, 80), rng.integers(1, 4, 80)
    g = np.where(rng.random(80) < 0.5, "a", "b")
    once = individual(rows_of(y, p, g, w=w), draws=50)
    often = individual(rows_of(np.repeat(y, w), np.repeat(p, w), np.repeat(g, w)), draws=50)
    by_label = {m.label: m for m in often.groups}
    for slug in INDICES:
        assert once.everyone.indices[slug].value == pytest.approx(often.everyone.indices[slug].value)
        assert all(m.indices[slug].value == pytest.approx(by_label[m.label].indices[slug].value) for m in once.groups)
    assert once.parts["theil"].between.value.value == pytest.approx(often.parts["theil"].between.value.value)
    assert once.everyone.indices["gini"].n < 80


def test_persons_with_many_rows_are_drawn_whole_and_widen_the_interval():
    rng = np.random.default_rng(3)
    y = np.repeat(rng.integers(0, 2, 40), 10)
    p = np.where(np.repeat(rng.random(40) < 0.3, 10), 1 - y, y)
    g = np.repeat(["a", "b"], 200)
    alone = individual(rows_of(y, p, g), draws=400).everyone.indices["gini"]
    whole = individual(rows_of(y, p, g, who=np.repeat(np.arange(40), 10)), draws=400).everyone.indices["gini"]
    assert whole.how == "bootstrap of persons" and whole.high - whole.low > 2 * (alone.high - alone.low)


def test_many_scores_are_drawn_in_bins_but_counted_exactly():
    rng = np.random.default_rng(4)
    y, s = rng.integers(0, 2, 3000), rng.random(3000)
    rows = rows_of(y, y, np.repeat(["a", "b"], 1500), s=s)
    found = individual(rows, kind="score", draws=300)
    b = np.where(y == 1, s, 1 - s)
    gini = found.everyone.indices["gini"]
    assert gini.value == pytest.approx(float(spread(b, np.ones(3000))["gini"]), abs=1e-12)
    assert gini.low < gini.value < gini.high and gini.value == pytest.approx(1 / 3, abs=0.02)
    assert "400 bins" in found.notes[0] and found.shares == ()
    values, place = cells(b, np.ones(3000), 2)
    assert np.abs(values[place] - b).max() < 0.01 and values[place].mean() == pytest.approx(b.mean())


def test_small_groups_are_left_out_of_comparisons_with_the_reason():
    y = [0, 1] * 30 + [0, 1]
    found = individual(rows_of(y, [0] * 62, ["a"] * 30 + ["b"] * 30 + ["c"] * 2, min_n=10), draws=50)
    assert found.left_out == (("c", "2 rows, fewer than 10"),) and found.groups[2].small
    assert individual(rows_of(y, [0] * 62, ["a"] * 62), draws=50).across == {}


def test_undefined_numbers_have_their_reason():
    found = individual(rows_of([1, 1, 1, 1], [0, 0, 0, 0], list("aabb")), draws=50)
    assert found.everyone.indices["gini"].undefined == "the mean benefit is 0"
    assert found.parts["theil"].total.undefined and np.isnan(found.across["cv"].value.value)
    zero = individual(even(20), alpha=0.0, draws=50)
    assert "benefit of 0" in zero.everyone.indices["entropy"].undefined
