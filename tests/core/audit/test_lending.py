from __future__ import annotations

import numpy as np
import pytest

from core.audit.lending import ARMS, MINORITY, SETS, draw_world, lesson, pair_up, true_effect
from core.types import BadInput

WITH_RACE, WITHOUT_RACE, APART = SETS


@pytest.fixture(scope="module")
def lessons():
    return [lesson(4000, seed) for seed in range(3)]


def test_swapping_race_changes_only_what_follows_from_it(rng):
    world = draw_world(2000, rng)
    for name in ("region", "income", "loan"):
        assert (world.real[name] == world.other[name]).all()
    assert (world.real["race"] != world.other["race"]).all()
    black = world.real["race"] == MINORITY
    apart = world.real["neighbourhood"] - world.other["neighbourhood"]
    assert apart[black].to_numpy() == pytest.approx(-0.8) and apart[~black].to_numpy() == pytest.approx(0.8)


def test_without_any_effect_nobody_is_treated_differently_for_race(rng):
    world = draw_world(3000, rng, 0.0, 0.0)
    assert true_effect(world) == 0 and (world.real["approved"] == world.other["approved"]).all()
    found = pair_up(world)
    assert found.effect.low <= 0 <= found.effect.high and found.raw.high < -0.03, "the raw gap comes from the region"


def test_matching_balances_what_race_does_not_change_and_covers_the_true_effect():
    inside, naive = [], []
    for seed in range(20):
        world = draw_world(2500, np.random.default_rng(seed))
        found, truth = pair_up(world, seed), true_effect(world)
        inside.append(found.effect.low <= truth <= found.effect.high)
        naive.append(found.raw.low <= truth <= found.raw.high)
        income = found.balance.set_index("feature").loc["income"]
        assert abs(income["before"]) > 0.25 and found.balance["after"].abs().max() < 0.1
    assert np.mean(inside) >= 0.9 and np.mean(naive) < 0.5


def test_a_model_trained_on_balanced_pairs_still_decides_by_what_stands_in_for_race(lessons):
    for one in lessons:
        flips = {key: value.value for key, value in one.flips.items()}
        assert one.flips[ARMS[1], WITHOUT_RACE].low > 0.02
        assert all(flips[arm, APART] == 0 for arm in ARMS), "a model of what race does not change cannot react to it"
        assert flips[ARMS[1], WITH_RACE] > flips[ARMS[1], WITHOUT_RACE]


def test_shuffling_race_within_pairs_takes_its_own_part_and_leaves_the_stand_in(lessons):
    part = [[one.flips[arm, WITH_RACE].value for arm in ARMS[1:]] for one in lessons]
    assert all(shuffled < 0.8 * plain for plain, shuffled in part)
    assert all(one.flips[ARMS[2], WITHOUT_RACE].low > 0.02 for one in lessons)


def test_the_lesson_is_the_same_for_the_same_seed_and_refuses_extremes():
    one, again = lesson(1000, 5), lesson(1000, 5)
    assert one.truth == again.truth and one.flips == again.flips
    with pytest.raises(BadInput, match="100 people"):
        lesson(10)
