from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from core.audit.matching import match, match_outcomes, mcnemar, paired_interval, rosenbaum_gamma
from core.audit.prepare import make_predictions
from core.types import AuditSpec, BadInput


def simulated(n, seed, effect=0.0):
    """Group and outcome both depend on x and job; z on neither group. `effect` is the group's own."""
    rng = np.random.default_rng(seed)
    x, z, job = rng.normal(size=n), rng.normal(size=n), rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    first = rng.random(n) < 1 / (1 + np.exp(-(-0.8 + 0.9 * x + 0.6 * (job == "b"))))
    rate = 0.25 + 0.5 / (1 + np.exp(-(0.2 - 1.5 * x + 0.5 * z - 0.6 * (job == "b")))) + effect * first
    return pd.DataFrame({"x": x, "z": z, "job": job, "g": np.where(first, "one", "two"),
                         "p": np.where(rng.random(n) < rate, "yes", "no"), "s": rate})


def rows_of(frame, **spec):
    return make_predictions(frame, AuditSpec(**({"positive": "yes", "predictions": ("p",), "attributes": ("g",)}
                                                | spec)))


def matched(frame, spec=None, **settings):
    rows = rows_of(frame.drop(columns="s", errors="ignore"), **(spec or {}))
    place = {label: k for k, label in enumerate(rows.groups.labels)}
    return match(rows, first=place["one"], second=place["two"], **settings)


@pytest.mark.parametrize("settings", [{}, {"replace": True}, {"order": "mahalanobis"}, {"exact": ("job",)}],
                         ids=["once", "again", "mahalanobis", "exact"])
@pytest.mark.parametrize("effect", [0.0, -0.15])
def test_the_effect_covers_what_was_planted_though_the_raw_gap_is_far_off(settings, effect):
    found = [matched(simulated(1500, seed, effect), **settings) for seed in range(30)]
    assert np.mean([m.effect.low <= effect <= m.effect.high for m in found]) >= 0.86
    assert np.mean([m.effect.value for m in found]) == pytest.approx(effect, abs=0.02)
    assert np.mean([m.raw.value for m in found]) < effect - 0.08
    assert np.mean([m.raw.high < effect for m in found]) > 0.8, "the raw interval misses the effect"


def test_matching_balances_what_was_apart():
    found = matched(simulated(4000, 0))
    table = found.balance.set_index(["feature", "value"])
    assert abs(table.loc[("x", ""), "before"]) > 0.5 and table["after"].abs().max() < 0.1
    assert 0.7 < found.share < 1 and 0.3 < found.overlap < 0.9
    assert len(found.rows) == round(found.share * found.n_first) == found.effect.n


def test_like_people_of_one_group_differ_as_often_when_the_group_has_no_effect():
    none, planted = (matched(simulated(6000, 1, effect)) for effect in (0.0, -0.25))
    assert none.differ.low < none.same_group.value < none.differ.high
    assert planted.effect.high < -0.15 and planted.gamma.value > 1.5
    assert none.gamma.undefined == "chance alone explains the difference"


def test_mcnemar_interval_and_gamma_follow_from_the_discordant_pairs():
    found = matched(simulated(3000, 2, -0.2))
    a, b, n = found.only_first, found.only_second, len(found.rows)
    assert found.effect.value == pytest.approx((a - b) / n) and found.differ.value == pytest.approx((a + b) / n)
    assert found.p == pytest.approx(2 * binom.cdf(min(a, b), a + b, 0.5)) and found.p_how == "McNemar"
    assert (found.effect.low, found.effect.high) == pytest.approx(paired_interval(a, b, n))


def test_gamma_is_where_the_worst_p_value_passes_the_level():
    gamma = rosenbaum_gamma(110, 12)  # smoking and lung cancer in 122 discordant pairs: still sure at 5, not at 6
    assert 5 < gamma < 6 and 2 * binom.sf(109, 122, gamma / (1 + gamma)) == pytest.approx(0.05)
    assert rosenbaum_gamma(12, 110) == gamma and rosenbaum_gamma(6, 5) == 1.0 and rosenbaum_gamma(0, 0) == 1.0
    assert mcnemar(0, 0) == 1 and mcnemar(5, 5) == 1


@pytest.mark.parametrize("a, b", [(0.0, 0.0), (0.1, 0.3)])
def test_paired_intervals_cover(a, b):
    rng = np.random.default_rng(4)
    tables = rng.multinomial(60, [a, b, 1 - a - b], size=500)
    ends = np.array([paired_interval(t[0], t[1], 60) for t in tables])
    assert ((ends[:, 0] <= a - b) & (a - b <= ends[:, 1])).mean() >= 0.93


def test_scores_are_compared_by_a_paired_t():
    rng = np.random.default_rng(0)
    frame = simulated(3000, 3, -0.1)
    frame["s"] = np.clip(frame["s"] + rng.normal(0, 0.02, len(frame)), 0, 1)
    rows = make_predictions(frame.drop(columns="p"), AuditSpec("", "yes", (), ("s",), attributes=("g",)))
    assert match_outcomes(rows) == ("score",)
    with pytest.raises(BadInput, match="choose both groups"):
        match(rows, outcome="score")
    place = {label: k for k, label in enumerate(rows.groups.labels)}
    found = match(rows, outcome="score", first=place["one"], second=place["two"], order="mahalanobis")
    assert found.effect.value == pytest.approx(-0.1, abs=0.01) and found.p_how == "paired t"
    assert math.isnan(found.only_first) and found.raw.how == "normal"
    assert found.gamma.undefined == "for yes-or-no outcomes only" and found.differ.undefined


def test_intervals_are_wider_where_partners_are_used_again():
    frame = simulated(2000, 5)
    frame = pd.concat([frame[frame["g"] == "one"], frame[frame["g"] == "two"].head(60)], ignore_index=True)
    found = matched(frame, replace=True)
    plain = 1.96 * math.sqrt(found.differ.value - found.effect.value**2) / math.sqrt(found.effect.n)
    assert (found.effect.high - found.effect.low) / 2 > 1.5 * plain
    assert found.gamma.undefined == "pairs share people or have weights"


def test_copies_of_every_row_are_one_person_each():
    frame = simulated(800, 6).assign(who=lambda f: np.arange(len(f)))
    alone, copied = (matched(f, {"person": "who"}) for f in (frame, pd.concat([frame] * 3, ignore_index=True)))
    width = alone.effect.high - alone.effect.low
    assert copied.effect.high - copied.effect.low == pytest.approx(width, rel=0.25)
    assert copied.raw.high - copied.raw.low == pytest.approx(alone.raw.high - alone.raw.low, rel=0.01)
    pairs = matched(pd.concat([frame.drop(columns="who")] * 3, ignore_index=True))
    assert pairs.effect.high - pairs.effect.low < 0.75 * width


def test_weights_count_in_the_raw_gap_and_the_effect():
    frame = simulated(1500, 7).assign(w=lambda f: np.where(f["x"] > 0, 5.0, 1.0))
    found = matched(frame, {"weight": "w"})
    value, one = (frame["p"] == "yes").to_numpy().astype(float), (frame["g"] == "one").to_numpy()
    means = [np.average(value[side], weights=frame["w"][side]) for side in (one, ~one)]
    assert found.raw.value == pytest.approx(means[0] - means[1])
    d, w = value[found.rows[:, 0]] - value[found.rows[:, 1]], frame["w"].to_numpy()[found.rows[:, 0]]
    assert found.effect.value == pytest.approx(np.average(d, weights=w)) and found.effect.how.startswith("linearised")


@pytest.mark.parametrize("settings", [{}, {"order": "mahalanobis"}, {"exact": ("chist", "phist")}])
def test_mortgages_of_boston_leave_the_eight_points_that_are_known(settings):
    """Denials of 1990: 28 and 9 per cent, and about 8 points once applicants are alike (Munnell et al. 1996)."""
    frame = pd.read_csv(Path(__file__).parents[3] / "assets/data/hmda_boston.csv.gz")
    rows = make_predictions(frame, AuditSpec("", "yes", ("deny",), attributes=("afam",)))
    found = match(rows, first=1, second=0, **settings)
    assert found.raw.value == pytest.approx(0.2832 - 0.0926, abs=1e-4) and found.raw.low > 0.14
    assert found.effect.low < 0.08 < found.effect.high and found.effect.low > 0 and found.share > 0.85


def test_large_tables_are_sampled_and_say_so_and_the_same_seed_gives_the_same_pairs():
    frame = simulated(30_000, 8)
    found, again = matched(frame, features=["x"]), matched(frame, features=["x"])
    assert "a random 20,000 are used" in found.notes[0] and np.array_equal(found.rows, again.rows)
    assert found.n_first + found.n_second == 20_000 and 0.7 < found.share < 0.95


def test_a_small_group_is_kept_whole_and_a_larger_first_group_is_told():
    frame = simulated(40_000, 9)
    small = pd.concat([frame[frame["g"] == "one"].head(500), frame[frame["g"] == "two"]], ignore_index=True)
    assert matched(small, features=["x"]).n_first == 500
    large = pd.concat([frame[frame["g"] == "one"].head(900), frame[frame["g"] == "two"].head(300)], ignore_index=True)
    assert matched(large).notes == ("The first group is larger: at most 300 of its 900 people can find a partner.",)


def test_groups_that_do_not_overlap_have_no_pairs_in_words():
    frame = simulated(400, 10).assign(x=lambda f: np.where(f["g"] == "one", 9.0, -9.0) + f["x"])
    found = matched(frame, features=["x"])
    assert found.share == 0 == found.overlap and len(found.rows) == 0
    assert found.effect.undefined == found.differ.undefined == found.gamma.undefined == "0 pairs"
    assert math.isnan(found.p) and found.balance["after"].isna().all()


def test_bad_settings_are_one_sentence():
    rows = rows_of(simulated(100, 0))
    for settings, words in (({"features": ["income"]}, "Features"), ({"features": []}, "Features"),
                            ({"order": "best"}, "use propensity"), ({"caliper": 0.0}, "caliper above 0"),
                            ({"first": 1, "second": 1}, "choose two groups"), ({"outcome": "tpr"}, "Outcome")):
        with pytest.raises(BadInput, match=words):
            match(rows, **settings)
    with pytest.raises(BadInput, match="differ between people"):
        match(rows_of(simulated(100, 0).assign(x=1.0)), features=["x"])
