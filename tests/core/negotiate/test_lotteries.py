from __future__ import annotations

import numpy as np
import pytest

from core.negotiate.bargain import bargain, efficient, reached, solve
from core.negotiate.lotteries import efficient_mixed, leximin_mixed, nash_gap, nash_mixed, solve_mixed

SPLIT = np.array([[1.0, 0.0], [0.0, 1.0]])  # each party has its own candidate


def test_a_fair_coin_solves_the_symmetric_case_for_every_rule_but_the_sum():
    found = solve_mixed(bargain(SPLIT))
    for rule in ("egalitarian", "nash", "relative", "regret"):
        assert found[rule].chances.tolist() == pytest.approx([0.5, 0.5], abs=1e-6)
    assert max(found["utilitarian"].chances) == 1.0


def test_an_uneven_division_has_the_closed_form_answers():
    """Points (4, 0) and (0, 2) with base 0: equal utilities at 1/3; Nash and the ratio at 1/2."""
    found = solve_mixed(bargain(np.array([[4.0, 0.0], [0.0, 2.0]]), [0, 0]))
    assert found["egalitarian"].chances[0] == pytest.approx(1 / 3, abs=1e-6)
    assert found["nash"].chances[0] == pytest.approx(0.5, abs=1e-6)
    assert found["relative"].chances[0] == pytest.approx(0.5, abs=1e-6)
    assert found["regret"].chances[0] == pytest.approx(2 / 3, abs=1e-6)  # 4 (1 - p) = 2 p


def test_leximin_goes_on_after_the_worst_is_settled():
    values = np.array([[1.0, 1.0, 1.0], [5.0, 1.0, 3.0], [1.0, 5.0, 3.5]])
    assert leximin_mixed(values).tolist() == pytest.approx([1 / 9, 0, 8 / 9], abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_a_lottery_is_never_worse_than_the_best_single_candidate(seed):
    values = np.random.default_rng(seed).normal(size=(3, 7))
    game = bargain(values, np.full(3, -3.0))
    alone, mixed = solve(game), solve_mixed(game)
    for rule, of in (("egalitarian", lambda s: reached(game, s).min()),
                     ("relative", lambda s: (game.relative @ s.chances).min()),
                     ("regret", lambda s: -(game.regret @ s.chances).max()),
                     ("nash", lambda s: np.log(reached(game, s) - game.base).sum())):
        assert of(mixed[rule]) >= of(alone[rule]) - 1e-7
        assert mixed[rule].chances.sum() == pytest.approx(1) and mixed[rule].chances.min() >= 0


@pytest.mark.parametrize("seed", range(8))
def test_the_nash_lottery_meets_its_bound(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((int(rng.integers(2, 6)), int(rng.integers(2, 20)))) * 10.0 ** rng.integers(-2, 3)
    game = bargain(values, np.zeros(len(values)))
    assert nash_gap(game, nash_mixed(game).chances) < 1e-6
    assert nash_gap(game, np.full(values.shape[1], 1 / values.shape[1])) > 1e-3


def test_nash_leaves_out_who_cannot_gain_but_not_below_the_base():
    values = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 9.0], [0.0, 1.0, 9.0]])
    found = nash_mixed(bargain(values, [0, 0, 0]))
    assert found.chances.tolist() == pytest.approx([0.5, 0.5, 0], abs=1e-5)
    none = nash_mixed(bargain(values, [1, 1, 1]))
    assert np.isnan(none.chances).all() and none.why
    still = nash_mixed(bargain(np.array([[1.0, 1.0]]), [1]))
    assert still.chances.sum() == pytest.approx(1)


def test_a_candidate_below_the_line_between_two_others_is_efficient_alone_but_not_among_lotteries():
    values = np.array([[4.0, 0.0, 1.5, 2.5], [0.0, 4.0, 1.5, 2.5]])
    assert efficient(values).tolist() == [True, True, False, True]
    assert efficient(values[:, :3]).tolist() == [True, True, True]
    assert efficient_mixed(values[:, :3]).tolist() == [True, True, False]
