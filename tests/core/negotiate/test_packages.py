from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.negotiate.bargain import leximin
from core.negotiate.packages import disagreement, every_package, mediate, offer, summary
from core.types import BadInput


def made(seed: int, budget: float = 6.0):
    rng = np.random.default_rng(seed)
    return offer(rng.dirichlet(np.ones(3), 4), rng.random((2, 3)) + 0.5, rng.random((6, 3)), np.array([2.0, 2.5]),
                 rng.uniform(0.5, 2, 6), budget)


def test_a_small_case_by_hand():
    """Two parties, each with its own criterion; 2 buys one add-on: the base gives (1, 1); add-ons (1, 0), (0, 1), and
    (.6, .6), which lifts the worst most; nothing more can be paid."""
    case = offer(np.eye(2), [[1, 1]], [[1, 0], [0, 1], [0.6, 0.6]], [1], [1, 1, 1], 2)
    rounds = mediate(case)
    assert [r.utilities.tolist() for r in rounds][0] == [1, 1]
    assert rounds[-1].cost <= 2 and rounds[-1].utilities.min() >= 1
    bases, masks, utilities = every_package(case)
    assert len(bases) == 4 and masks[leximin(utilities)[0]].tolist() == [False, False, True]


def test_parties_ask_for_their_own_best_so_the_mediator_can_stop_short_of_leximin():
    case = offer(np.eye(2), [[1, 1]], [[1, 0], [0, 1], [0.6, 0.6]], [1], [1, 1, 1], 2)
    end = mediate(case)[-1].utilities
    _, _, utilities = every_package(case)
    assert sorted(end.tolist()) == [1, 2] and utilities[:, leximin(utilities)[0]].tolist() == [1.6, 1.6]


def test_nobody_asks_for_what_puts_somebody_below_the_base():
    case = offer(np.eye(2), [[1, 1]], [[5, -0.5], [0.5, 0.1]], [0], [0, 0], 1)
    assert mediate(case)[-1].add.tolist() == [False, True]


@pytest.mark.parametrize("seed", range(12))
def test_the_result_can_be_paid_and_is_never_below_the_base(seed):
    case = made(seed)
    rounds = mediate(case)
    first, last = rounds[0], rounds[-1]
    assert last.cost <= case.budget and (last.utilities >= first.utilities - 1e-9).all()
    assert last.utilities.sum() >= first.utilities.sum() - 1e-9
    worst = [r.utilities.min() for r in rounds]
    assert all(b >= a - 1e-9 for a, b in zip(worst, worst[1:], strict=False)) and len(rounds) > 1
    _, _, utilities = every_package(case)
    assert utilities.min(0).max() >= last.utilities.min() - 1e-9
    assert utilities.sum(0).max() >= last.utilities.sum() - 1e-9


def test_that_the_gini_never_rises_does_not_hold():
    rises = 0
    for seed in range(40):
        rounds = mediate(made(seed))
        rises += summary(rounds[-1].utilities)["gini"] > summary(rounds[0].utilities)["gini"] + 1e-9
    assert 0 < rises < 40


def test_every_package_equals_a_loop():
    case = made(3)
    bases, masks, utilities = every_package(case)
    slow = []
    for base, *adds in product(range(2), *[(False, True)] * 6):
        cost = case.base_cost[base] + sum(c for c, a in zip(case.add_cost, adds, strict=True) if a)
        if cost <= case.budget:
            score = case.base[base] + sum((s for s, a in zip(case.add, adds, strict=True) if a), np.zeros(3))
            slow.append((base, *adds, *(case.weights @ score).round(9)))
    fast = [(int(b), *(bool(a) for a in m), *u.round(9)) for b, m, u in zip(bases, masks, utilities.T, strict=True)]
    assert sorted(fast) == sorted(slow)


def test_without_add_ons_the_base_with_the_largest_total_stands():
    case = offer(np.eye(2), [[1, 1], [5, 0], [9, 9]], np.zeros((0, 2)), [1, 1, 99], [], 2)
    assert disagreement(case).base == 1 and len(mediate(case)) == 1 and every_package(case)[2].shape == (2, 2)


def test_the_summary_by_hand():
    found = summary(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert found == pytest.approx({"total": 15, "worst": 1, "p20": 1.8, "gini": 4 / 15})
    assert np.isnan(summary(np.array([-1.0, 1.0]))["gini"]) and summary(np.ones(4))["gini"] == 0


@pytest.mark.parametrize("change", [{"budget": 0.5}, {"add_cost": [1]}, {"base_cost": [-1]}, {"weights": [[1, 1, 1]]}])
def test_what_cannot_be_offered_is_refused(change):
    given = {"weights": np.eye(2), "base": [[1, 1]], "add": [[1, 0], [0, 1]], "base_cost": [1], "add_cost": [1, 1],
             "budget": 3.0}
    with pytest.raises(BadInput):
        offer(**{**given, **change})


def test_too_many_packages_are_refused():
    case = offer(np.ones((1, 1)), [[0]], np.ones((15, 1)), [0], np.ones(15), 4)
    with pytest.raises(BadInput, match="packages"):
        every_package(case)
    assert mediate(case)[-1].utilities.tolist() == [4]
