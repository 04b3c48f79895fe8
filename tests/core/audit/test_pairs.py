from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.pairs import balance, caliper_width, encode, nearest_pairs, overlap, propensity
from core.types import BadInput


def test_features_become_columns_and_missing_numbers_say_so(rng):
    frame = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0] * 10, "town": ["a", "b"] * 20, "job": ["p", "q", "r", "p"] * 10,
                          "same": "x", "id": [f"n{k}" for k in range(40)]})
    found = encode(frame, list(frame.columns))
    assert found.columns == (("x", ""), ("x", "missing"), ("town", "a"), ("job", "p"), ("job", "q"), ("job", "r"))
    assert dict(found.left_out)["same"] == "one value" and "rows each" in dict(found.left_out)["id"]
    assert found.x.mean(0) == pytest.approx(np.zeros(6), abs=1e-12) and found.x.std(0) == pytest.approx(np.ones(6))


def test_huge_numbers_are_scaled_before_they_are_squared():
    found = encode(pd.DataFrame({"x": [1e300, -1e300, np.inf, 0.0]}), ["x"])
    assert found.x[:, 0] == pytest.approx([np.sqrt(2), -np.sqrt(2), 0, 0]) and found.columns[1] == ("x", "missing")


def test_too_many_columns_are_refused(rng):
    frame = pd.DataFrame(rng.normal(size=(30, 201))).set_axis([f"c{k}" for k in range(201)], axis=1)
    with pytest.raises(BadInput, match="fewer features"):
        encode(frame, list(frame.columns))


def test_the_propensity_is_the_logistic_regression_that_made_the_groups(rng):
    x = rng.normal(size=(20_000, 2))
    first = rng.random(20_000) < 1 / (1 + np.exp(-(0.5 + x[:, 0])))
    logit = propensity(x, first)
    assert np.abs(logit - (0.5 + x[:, 0])).max() < 0.25
    halves = np.repeat([1.0, 3.0], 10_000)
    again = propensity(np.concatenate([x[:10_000], *[x[10_000:]] * 3]), np.concatenate([first[:10_000],
                       *[first[10_000:]] * 3]))
    assert propensity(x, first, halves)[:10_000] == pytest.approx(again[:10_000], abs=1e-3)


def test_without_features_there_is_no_propensity():
    assert propensity(np.zeros((4, 0)), np.array([True, False, True, False])).tolist() == [0, 0, 0, 0]
    assert caliper_width(np.zeros(4), np.array([True, False, True, False])) == 1.0


def made(first, second):
    return np.array([*first, *second], float), np.repeat([True, False], [len(first), len(second)])


def test_nearest_within_the_caliper_and_everybody_once(rng):
    logit, is_first = made([0.0, 1.0, 5.0], [0.1, 0.9, 2.0])
    found = nearest_pairs(logit, is_first, 0.5, rng)
    assert dict(zip(found.first.tolist(), found.second.tolist(), strict=True)) == {0: 3, 1: 4}


def test_a_partner_goes_to_the_nearest_who_asks_and_the_other_takes_the_next(rng):
    logit, is_first = made([0.0, 0.2], [0.21, 0.4])
    found = nearest_pairs(logit, is_first, 1.0, rng)
    assert dict(zip(found.first.tolist(), found.second.tolist(), strict=True)) == {1: 2, 0: 3}
    again = nearest_pairs(logit, is_first, 1.0, rng, replace=True)
    assert dict(zip(again.first.tolist(), again.second.tolist(), strict=True)) == {0: 2, 1: 2}


@pytest.mark.parametrize("replace", [False, True])
def test_pairs_agree_with_a_search_over_all(rng, replace):
    logit, is_first = rng.normal(size=300), rng.random(300) < 0.4
    found = nearest_pairs(logit, is_first, 0.3, rng, replace=replace)
    one, other = np.flatnonzero(is_first), np.flatnonzero(~is_first)
    apart = np.abs(logit[one][:, None] - logit[other])
    expected = {}
    if replace:
        expected = {int(one[i]): int(other[apart[i].argmin()]) for i in range(len(one)) if apart[i].min() <= 0.3}
    else:  # the nearest pair of all first, then the nearest of the rest
        for i, j in zip(*np.unravel_index(apart.ravel().argsort(), apart.shape), strict=True):
            if apart[i, j] <= 0.3 and one[i] not in expected and other[j] not in expected.values():
                expected[int(one[i])] = int(other[j])
    assert dict(zip(found.first.tolist(), found.second.tolist(), strict=True)) == expected


def test_equal_people_are_all_paired_however_many(rng):
    logit, is_first = np.zeros(3000), np.repeat([True, False], [1000, 2000])
    found = nearest_pairs(logit, is_first, 1.0, rng)
    assert len(found.first) == 1000 == len(np.unique(found.second))


def test_exact_cells_are_never_crossed(rng):
    logit, is_first, cell = rng.normal(size=500) / 10, rng.random(500) < 0.5, rng.integers(0, 7, 500)
    found = nearest_pairs(logit, is_first, 1.0, rng, cell=cell)
    assert len(found.first) > 150 and (cell[found.first] == cell[found.second]).all()


def test_mahalanobis_takes_the_alike_among_those_within_the_caliper(rng):
    x = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 0.1], [3.0, 3.0], [0.5, 3.0]])
    is_first = np.array([True, True, False, False, False])
    found = nearest_pairs(np.zeros(5), is_first, 1.0, rng, x=x, replace=True)
    assert found.second[0] == 2


def test_balance_and_overlap_by_hand(rng):
    frame = pd.DataFrame({"x": [1.0, 2, 3, 2, 3, 4]})
    is_first = np.array([True] * 3 + [False] * 3)
    encoded = encode(frame, ["x"])
    pairs = nearest_pairs(frame["x"].to_numpy(), is_first, 0.5, rng)
    found = balance(encoded, frame["x"].to_numpy(), is_first, pairs, np.ones(6)).set_index("feature")
    assert found.loc["x", "before"] == pytest.approx(-1 / np.sqrt(2 / 3)) and found.loc["x", "after"] == 0
    assert overlap(np.array([0.0, 1, 0, 1]), np.array([True, True, False, False])) == 1
    assert overlap(np.array([0.0, 0, 1, 1]), np.array([True, True, False, False])) == 0
    weighted = balance(encoded, frame["x"].to_numpy(), is_first, pairs, np.array([1.0, 1, 4, 1, 1, 1]))
    again = frame["x"].to_numpy()
    spread = np.sqrt((np.cov(again[[0, 1, 2, 2, 2, 2]], bias=True) + np.cov(again[3:], bias=True)) / 2)
    assert weighted["before"][0] == pytest.approx((2.5 - 3) / spread)
