from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f_oneway

from core.audit.inequality import across, decompose, spread
from core.types import BadInput

GOLDEN = np.array([1, 1, 2, 1, 1, 0, 1, 1, 0, 0, 1, 1.0])  # prediction - truth + 1 of 12 rows, three groups of four
GROUP = np.repeat([0, 1, 2], 4)


def one_by_one(b, w, eps, alpha):
    """The indices from loops over persons."""
    total = sum(w)
    mean = sum(wi * bi for wi, bi in zip(w, b, strict=True)) / total
    gini = sum(wi * wj * abs(bi - bj) for wi, bi in zip(w, b, strict=True) for wj, bj in zip(w, b, strict=True))
    variance = sum(wi * (bi - mean) ** 2 for wi, bi in zip(w, b, strict=True)) / total
    theil = sum(wi * (bi / mean * np.log(bi / mean) if bi > 0 else 0) for wi, bi in zip(w, b, strict=True)) / total
    entropy = sum(wi * ((bi / mean) ** alpha - 1) for wi, bi in zip(w, b, strict=True)) / total / (alpha * (alpha - 1))
    equal = (sum(wi * bi ** (1 - eps) for wi, bi in zip(w, b, strict=True)) / total) ** (1 / (1 - eps))
    return {"gini": gini / (2 * total**2 * mean), "sd": variance**0.5, "cv": variance**0.5 / mean, "theil": theil,
            "entropy": entropy, "atkinson": 1 - equal / mean}


def masses(b, w, group):
    return np.array([np.where(group == g, w, 0.0) for g in range(group.max() + 1)])


@pytest.mark.parametrize("eps, alpha", [(0.5, 2.0), (0.25, 3.0), (0.9, 0.5), (2.0, -1.0)])
def test_indices_agree_with_loops_over_persons(rng, eps, alpha):
    b, w = rng.choice([0.2, 0.5, 1.0, 1.7], 60), rng.uniform(0.5, 2, 60)
    found = spread(b, w, eps, alpha)
    assert {k: float(v) for k, v in found.items()} == pytest.approx(one_by_one(b, w, eps, alpha), abs=1e-12)


def test_the_twelve_rows_have_the_published_values():
    """AIF360 on the same table, with group a against the two others: Theil .3210 and .0589, index of alpha 2 .22."""
    found = spread(GOLDEN, np.ones(12))
    assert float(found["entropy"]) == pytest.approx(0.22, abs=1e-12)
    assert float(found["theil"]) == pytest.approx(0.3210, abs=5e-5)
    assert float(np.sqrt(2 * found["entropy"])) == pytest.approx(0.6633, abs=5e-5) == float(found["cv"])
    two = decompose(GOLDEN, masses(GOLDEN, np.ones(12), np.minimum(GROUP, 1)))["theil"]
    three = decompose(GOLDEN, masses(GOLDEN, np.ones(12), GROUP))["theil"]
    assert float(two[1]) == pytest.approx(0.0589, abs=5e-5)
    ratios = np.array([1.25, 0.75, 0.5]) / (10 / 12)
    assert float(three[1]) == pytest.approx((ratios * np.log(ratios)).mean(), abs=1e-12)


def test_closed_forms_and_limits():
    right = spread(np.array([0.0, 1.0]), np.array([20.0, 80.0]), eps=0.5)
    assert float(right["gini"]) == pytest.approx(0.2)  # the error rate
    assert float(right["atkinson"]) == pytest.approx(0.2) and float(right["theil"]) == pytest.approx(np.log(1.25))
    assert float(right["cv"]) == pytest.approx(0.5) and float(right["entropy"]) == pytest.approx(0.125)
    assert float(spread(np.array([0.0, 1.0]), np.array([1.0, 1]), eps=1)["atkinson"]) == 1.0
    b, w = np.array([0.3, 0.9, 1.4]), np.array([1.0, 2, 1])
    for at in (0.0, 1.0):
        near, exact = spread(b, w, 1.0000001, at + 1e-6), spread(b, w, 1.0, at)
        assert float(near["entropy"]) == pytest.approx(float(exact["entropy"]), abs=1e-5)
        assert float(near["atkinson"]) == pytest.approx(float(exact["atkinson"]), abs=1e-6)
    assert float(spread(b, w, alpha=1.0)["entropy"]) == pytest.approx(float(spread(b, w)["theil"]), abs=1e-14)


def test_equal_people_have_no_inequality_and_a_scale_changes_none_but_the_deviation(rng):
    assert all(float(v) < 1e-12 for v in spread(np.full(50, 0.3), rng.random(50) + 0.1).values())
    b, w = rng.random(40), rng.random(40)
    once, thrice = spread(b, w), spread(3 * b, w)
    for slug in once:
        assert float(thrice[slug]) == pytest.approx(float(once[slug]) * (3 if slug == "sd" else 1), abs=1e-12)


def test_undefined_is_not_zero():
    nobody = spread(np.zeros(3), np.ones(3))
    assert float(nobody["sd"]) == 0 and all(np.isnan(nobody[s]) for s in ("gini", "cv", "theil", "entropy", "atkinson"))
    assert np.isnan(spread(np.array([0.0, 1]), np.ones(2), alpha=0.0)["entropy"])
    assert np.isnan(spread(np.array([0.0, 1]), np.ones(2), alpha=-1.0)["entropy"])
    assert np.isfinite(spread(np.array([0.0, 1]), np.array([0.0, 1]), alpha=-1.0)["entropy"]), "nobody is at 0"
    with pytest.raises(BadInput, match="above 0"):
        spread(np.ones(2), np.ones(2), eps=0.0)
    with pytest.raises(BadInput, match="-5 to 5"):
        spread(np.ones(2), np.ones(2), alpha=9.0)


@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0])
def test_the_parts_add_up_or_multiply_to_the_whole(rng, eps, alpha):
    b, w, group = rng.choice([0.1, 0.4, 1.0, 2.0], 300), rng.uniform(0.2, 3, 300), rng.integers(0, 4, 300)
    found = decompose(b, masses(b, w, group), eps, alpha)
    whole = spread(b, w, eps, alpha)
    for name in ("theil", "entropy"):
        total, between, within = found[name]
        assert abs(total - between - within) < 1e-12 and abs(total - whole[name]) < 1e-12
    total, between, within = found["atkinson"]
    assert abs((1 - total) - (1 - between) * (1 - within)) < 1e-12 and abs(total - whole["atkinson"]) < 1e-12


def test_the_part_within_is_the_weighted_sum_of_the_groups_indices(rng):
    b, w, group = rng.choice([0.1, 0.4, 1.0, 2.0], 300), rng.uniform(0.2, 3, 300), rng.integers(0, 4, 300)
    mass = masses(b, w, group)
    mean = np.average(b, weights=w)
    each = [(m.sum() / w.sum(), np.average(b, weights=m) / mean, spread(b, m)) for m in mass]
    found = decompose(b, mass)
    assert float(found["entropy"][2]) == pytest.approx(sum(q * r**2 * float(s["entropy"]) for q, r, s in each))
    assert float(found["theil"][2]) == pytest.approx(sum(q * r * float(s["theil"]) for q, r, s in each))
    assert float(found["atkinson"][2]) == pytest.approx(sum(q * r * float(s["atkinson"]) for q, r, s in each))


def test_benefits_of_zero_and_groups_without_any_keep_the_parts_whole(rng):
    b, group = rng.choice([0.0, 1.0, 2.0], 200), rng.integers(0, 3, 200)
    b[group == 2] = 0.0
    for eps in (0.5, 0.9):
        found = decompose(b, masses(b, np.ones(200), group), eps)
        for name in ("theil", "entropy"):
            assert abs(found[name][0] - found[name][1] - found[name][2]) < 1e-12
        total, between, within = found["atkinson"]
        assert abs((1 - total) - (1 - between) * (1 - within)) < 1e-12
    assert np.isnan(decompose(b, masses(b, np.ones(200), group), 1.0)["atkinson"][1]), "0 of 0"


def test_finer_groups_never_lower_the_part_between(rng):
    for _ in range(20):
        b, fine = rng.choice([0.1, 0.5, 1.0, 2.0], 120), rng.integers(0, 6, 120)
        for eps, alpha in ((0.5, 2.0), (1.0, 1.0), (2.0, 0.5)):
            coarse = decompose(b, masses(b, np.ones(120), fine // 2), eps, alpha)
            finer = decompose(b, masses(b, np.ones(120), fine), eps, alpha)
            assert all(finer[name][1] >= coarse[name][1] - 1e-12 for name in coarse)


def test_measures_across_groups_by_hand(rng):
    b, group = rng.choice([0.0, 1.0, 2.0], 90, p=[0.2, 0.6, 0.2]), np.repeat([0, 1, 2], [20, 30, 40])
    parts = [b[group == g] for g in range(3)]
    mean, size = np.array([p.mean() for p in parts]), np.array([20.0, 30, 40])
    found = across(mean, size, np.array([p.var() for p in parts]), size)
    apart = [abs(mean[0] - mean[1]), abs(mean[0] - mean[2]), abs(mean[1] - mean[2])]
    assert float(found["mad"]) == pytest.approx(np.mean(apart)) and float(found["range"]) == pytest.approx(max(apart))
    assert float(found["gini"]) == pytest.approx(2 * sum(apart) / (2 * 9 * mean.mean()))
    assert float(found["cv"]) == pytest.approx(mean.std() / mean.mean()) and float(found["worst"]) == min(mean)
    assert float(found["f"]) == pytest.approx(f_oneway(*parts).statistic)
    assert float(found["kl"]) == pytest.approx(float(decompose(b, masses(b, np.ones(90), group))["theil"][1]))


def test_the_worst_quarter_is_the_mean_of_the_lowest_groups():
    mean = np.arange(8.0)
    assert float(across(mean, np.ones(8), np.ones(8), np.full(8, 10.0))["worst"]) == 0.5


def test_many_worlds_at_once_equal_one_at_a_time(rng):
    values, mass = np.array([0.0, 1.0, 2.0]), rng.integers(1, 9, (5, 3, 3)).astype(float)
    together, parts = spread(values, mass), decompose(values, mass)
    for d in range(5):
        assert float(decompose(values, mass[d])["atkinson"][1]) == pytest.approx(float(parts["atkinson"][1][d]))
        assert float(spread(values, mass[d, 1])["gini"]) == pytest.approx(float(together["gini"][d, 1]))
