from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.negotiate.bargain import RULES, bargain, cost_table, efficient, leximin, reached, solve
from core.types import BadInput

SLOPES = np.linspace(0, 4, 401)  # candidates f(x) = slope * x


def two_worlds(noise=(0.0, 0.0), scale=(1.0, 1.0)):
    """Two groups y = b_g x with b = (1, 3), Var x = 1; utility = minus the mean squared error; the base is f = 0."""
    risk = [s * ((b - SLOPES) ** 2 + e) for b, e, s in zip((1, 3), noise, scale, strict=True)]
    nothing = [s * (b**2 + e) for b, e, s in zip((1, 3), noise, scale, strict=True)]
    return bargain(-np.array(risk), -np.array(nothing))


def slope(solution) -> float:
    return float(SLOPES[int(solution.chances.argmax())])


def test_two_linear_groups_have_the_closed_form_answers():
    game = two_worlds()
    found = solve(game)
    assert slope(found["relative"]) == pytest.approx(1.5) and slope(found["regret"]) == pytest.approx(2.0)
    at = {rule: game.relative[:, int(s.chances.argmax())].tolist() for rule, s in found.items()}
    assert at["relative"] == pytest.approx([0.75, 0.75]) and at["regret"] == pytest.approx([0, 8 / 9])
    assert slope(found["utilitarian"]) == pytest.approx(2.0)


def test_noise_of_one_group_moves_the_smallest_largest_risk_but_not_the_relative_improvement():
    noisy = solve(two_worlds(noise=(4, 0)))
    assert slope(noisy["egalitarian"]) == pytest.approx(1.0)
    assert slope(noisy["relative"]) == pytest.approx(1.5)


def test_another_unit_for_one_group_changes_neither_nash_nor_the_relative_improvement():
    before, after = solve(two_worlds()), solve(two_worlds(scale=(1, 50)))
    assert slope(before["relative"]) == slope(after["relative"]) and slope(before["nash"]) == slope(after["nash"])
    assert slope(before["utilitarian"]) != slope(after["utilitarian"])


def test_leximin_looks_at_the_second_worst_where_the_worst_are_equal():
    assert leximin(np.array([[1.0, 1.0, 0.0], [2.0, 3.0, 9.0], [9.0, 4.0, 9.0]])) == [1]
    assert leximin(np.array([[1.0, 2.0], [2.0, 1.0]])) == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_answers_equal_a_search_over_all_candidates(seed):
    values = np.random.default_rng(seed).normal(size=(3, 12)).round(2)
    base = np.full(3, -3.0)
    found = solve(bargain(values, base))
    best = values.max(1)

    def by(key):
        return max(range(12), key=lambda c: key(values[:, c]))

    assert values[:, int(found["utilitarian"].chances.argmax())].sum() == pytest.approx(values.sum(0).max())
    assert found["egalitarian"].tied[0] == by(lambda u: sorted(u))
    assert found["nash"].tied[0] == by(lambda u: np.prod(u - base))
    assert found["relative"].tied[0] == by(lambda u: sorted((u - base) / (best - base)))
    assert found["regret"].tied[0] == by(lambda u: sorted(u - best))


def test_the_pareto_set_equals_a_search_and_keeps_equal_candidates():
    values = np.random.default_rng(1).integers(0, 4, (3, 40)).astype(float)
    slow = [not any((values[:, k] >= values[:, c]).all() and (values[:, k] > values[:, c]).any() for k in range(40))
            for c in range(40)]
    assert efficient(values).tolist() == slow and 0 < sum(slow) < 40
    assert efficient(np.ones((2, 2))).tolist() == [True, True]


def test_nash_puts_nobody_below_the_base_and_says_so_where_that_cannot_be():
    values = np.array([[9.0, 1.0, 2.0], [-1.0, 1.0, 0.4]])
    found = solve(bargain(values, [0, 0]))["nash"]
    assert found.tied == (1,)
    none = solve(bargain(values, [3, 3]))["nash"]
    assert np.isnan(none.chances).all() and "below the base" in none.why


def test_a_party_that_cannot_gain_is_left_out_of_relative_improvement():
    game = bargain([[1.0, 1.0], [0.0, 2.0]])
    assert np.isnan(game.relative[0]).all()
    assert solve(game)["relative"].tied == (1,) and solve(game)["nash"].tied == (1,)
    same = solve(bargain([[1.0, 1.0]]))["relative"]
    assert np.isnan(same.chances).all() and "better than the base" in same.why


def test_the_table_tells_what_every_rule_costs_whom():
    game = bargain([[4.0, 0.0, 2.0], [0.0, 4.0, 3.0]], [0, 1])
    table = cost_table(game, solve(game), ["women", "men"])
    assert len(table) == 2 * len(RULES)
    at = table[table["rule"] == "egalitarian"].set_index("party")
    assert at["utility"].tolist() == [2, 3] and at["cost"].tolist() == [2, 1]
    assert at["gain"].tolist() == [2, 2] and at["relative"].tolist() == pytest.approx([0.5, 2 / 3])
    assert reached(game, solve(game)["utilitarian"]).tolist() == [2, 3] and not at["below_base"].any()


@pytest.mark.parametrize("wrong, base", [(np.zeros((0, 3)), None), (np.array([[np.nan]]), None),
                                         (np.ones((2, 2)), [1.0]), (np.ones(3), None)])
def test_what_cannot_be_bargained_over_is_refused(wrong, base):
    with pytest.raises(BadInput):
        bargain(wrong, base)


def test_relative_improvement_of_the_worst_falls_on_both_sides_of_its_best():
    worst = two_worlds().relative.min(0)
    best = int(worst.argmax())
    assert all(a <= b for a, b in pairwise(worst[:best + 1])) and all(a >= b for a, b in pairwise(worst[best:]))
