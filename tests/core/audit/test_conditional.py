from __future__ import annotations

import math

import numpy as np
import pytest

from core.audit.conditional import WAYS, findings, pick, slopes
from core.gaps import difference
from core.types import BadInput

GLOBALLY, INTERACTIONS, WITHIN = WAYS


def corpus(seed, n=3000, d=60, strata=(0.5, 0.5), **planted):
    """0/1 features with planted slopes of a logistic outcome.

    turn: +1.2 in the first stratum and -1.2 in the second. rare: 1.8 in the last stratum alone. plain: 0.6 everywhere.
    confound: frequent in all strata but the first, no slope. Returns x, y, code, kind -> places.
    """
    rng = np.random.default_rng(seed)
    code, x = rng.choice(len(strata), n, p=strata), (rng.random((n, d)) < 0.25).astype(float)
    slope, places, at = np.zeros((len(strata), d)), {}, 0
    for kind, count in planted.items():
        places[kind], at = list(range(at, at + count)), at + count
    slope[0, places.get("turn", [])], slope[1, places.get("turn", [])] = 1.2, -1.2
    slope[-1, places.get("rare", [])] = 1.8
    slope[:, places.get("plain", [])] = 0.6
    for j in places.get("confound", []):
        x[:, j] = rng.random(n) < np.where(code == 0, 0.1, 0.6)
    logit = ((x - x.mean(0)) * slope[code]).sum(1) + np.linspace(-0.8, 0.8, len(strata))[code]
    return x, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(float), code, places


def recall(kind, way, k, seeds=4, **planted):
    """Share of the planted features of a kind among the k that a way ranks first."""
    shares = []
    for seed in range(seeds):
        x, y, code, places = corpus(seed, **planted)
        shares.append(np.isin(places[kind], pick(x, y, code, k, way)).mean())
    return float(np.mean(shares))


def test_a_planted_reversal_is_found_with_interactions_and_missed_globally():
    planted = {"turn": 3, "plain": 3}
    assert recall("turn", INTERACTIONS, 6, **planted) == 1.0
    assert recall("turn", GLOBALLY, 6, **planted) <= 0.25 and recall("plain", GLOBALLY, 6, **planted) == 1.0


def test_interactions_give_the_signs_of_each_stratum():
    x, y, code, places = corpus(0, turn=3, plain=3)
    found = slopes(x, y, code, 6, INTERACTIONS)
    assert (found[0, places["turn"]] > 0).all() and (found[1, places["turn"]] < 0).all()
    assert (found[:, places["plain"]] > 0).all()


def test_what_goes_on_in_a_stratum_of_five_per_cent_is_found_within_strata():
    planted = {"n": 6000, "strata": (0.95, 0.05), "rare": 3, "plain": 6}
    assert recall("rare", WITHIN, 6, **planted) >= 0.75
    assert recall("rare", GLOBALLY, 6, **planted) <= 0.25


def test_a_pure_confound_is_picked_globally_and_rejected_within_strata():
    planted = {"confound": 4, "plain": 4}
    assert recall("confound", GLOBALLY, 4, **planted) >= 0.75
    assert recall("confound", WITHIN, 4, **planted) == 0 and recall("plain", WITHIN, 4, **planted) == 1


def test_findings_tell_reversals_and_confounds_by_numbers_that_are_adjusted():
    x, y, code, places = corpus(1, turn=2, confound=2, plain=2)
    found = {f.place: f for f in findings(x, y, code, 6)}
    for d in places["turn"]:
        assert found[d].turns and found[d].turn_holm < 1e-4 and INTERACTIONS in found[d].picked
        assert found[d].by_stratum[0].low > 0 > found[d].by_stratum[1].high
    for d in places["plain"]:
        assert found[d].within_holm < 0.01 and found[d].within.low > 0 and set(found[d].picked) == set(WAYS)
    for d in places["confound"]:
        assert found[d].overall.low > 0 and found[d].within_holm > 0.05


def test_numbers_of_a_stratum_are_newcombes_by_hand():
    x = np.array([[1.0]] * 30 + [[0.0]] * 20 + [[1.0]] * 10 + [[0.0]] * 40)
    y = np.array([1.0] * 20 + [0.0] * 10 + [1.0] * 5 + [0.0] * 15 + [1.0] * 5 + [0.0] * 5 + [1.0] * 10 + [0.0] * 30)
    code = np.repeat([0, 1], 50)
    one = findings(x, y, code, 1)[0]
    low, high = difference(np.array(2 / 3), np.array(30), np.array(0.25), np.array(20))
    first = one.by_stratum[0]
    assert (first.value, first.low, first.high) == pytest.approx((2 / 3 - 0.25, low, high))
    assert one.within.value == pytest.approx(((2 / 3 - 0.25) + (0.5 - 0.25)) / 2) and one.share == 0.4


def test_whole_weights_are_repeated_rows():
    x, y, code, _ = corpus(2, n=800, d=8, plain=2)
    w = np.arange(800) % 3 + 1.0
    again = [np.repeat(v, w.astype(int), axis=0) for v in (x, y, code)]
    weighted, repeated = findings(x, y, code, 3, w), findings(*again, 3)
    assert [f.place for f in weighted] == [f.place for f in repeated]
    for a, b in zip(weighted, repeated, strict=True):
        assert (a.overall.value, a.within.value) == pytest.approx((b.overall.value, b.within.value))


def test_more_candidates_behind_the_screen_make_p_values_larger():
    x, y, code, places = corpus(3, n=600, d=10, plain=1)
    alone, many = findings(x, y, code, 3)[0], findings(x, y, code, 3, among=1000)[0]
    assert many.within_holm == pytest.approx(min(1.0, alone.within_holm * 100))


def test_a_stratum_without_the_word_has_no_difference_in_words():
    x, y, code, _ = corpus(4, n=400, d=5, plain=2)
    x[code == 1, 0] = 0
    one = next(f for f in findings(x, y, code, 5) if f.place == 0)
    assert one.by_stratum[1].undefined == "no rows with it" and math.isnan(one.by_stratum[1].value)
    assert one.within.value == pytest.approx(one.by_stratum[0].value), "the other stratum alone"


def test_noise_is_hardly_ever_sure():
    sure = 0
    for seed in range(12):
        x, y, code, _ = corpus(seed, n=600, d=30)
        sure += any(f.within_holm < 0.05 or f.turn_holm < 0.05 for f in findings(x, y, code, 5))
    assert sure <= 4


def test_bad_ways_and_one_outcome_are_refused():
    x, y, code, _ = corpus(0, n=100, d=3)
    with pytest.raises(BadInput, match="use within strata"):
        pick(x, y, code, way="magic")
    with pytest.raises(BadInput, match="choose another outcome"):
        pick(x, np.ones(100), code)
