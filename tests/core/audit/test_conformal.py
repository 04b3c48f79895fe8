from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from unsure import classifier, halves_of

from core.audit.conformal import answer, conformal, measure_policy, measure_sets
from core.audit.prepare import make_predictions
from core.audit.set_thresholds import split_halves
from core.types import AuditSpec, BadInput

NORMAL = NormalDist()


def test_two_half_normal_groups_have_the_thresholds_and_coverages_of_the_paper():
    """S = |N(0, s)| with s = 1 and 2: pooled 2.615 with coverages .991 and .809, own thresholds 1.645 and 3.290."""
    grid = np.array([NORMAL.inv_cdf(0.5 + 0.5 * (k + 0.5) / 20_000) for k in range(20_000)])
    score, code = np.concatenate([grid, 2 * grid]), np.repeat([0, 1], 20_000)
    halves = halves_of(score, code, score, code)
    found = measure_sets(halves, 0.1)
    pooled, own = found.policies["pooled"], found.policies["group"]
    assert pooled.groups[0].threshold == pytest.approx(2.615, abs=1e-3)
    assert [g.coverage.value for g in pooled.groups] == pytest.approx([0.991, 0.809], abs=5e-4)
    assert pooled.everyone.coverage.value == pytest.approx(0.9, abs=1e-4)
    assert [g.threshold for g in own.groups] == pytest.approx([1.645, 3.290], abs=2e-3)
    assert own.coverage_gap.value < 1e-3 and own.distortion < 1e-3
    assert pooled.distortion == pytest.approx((0.991 - 0.809) / 2, abs=5e-4)
    assert found.apart == pytest.approx((3.290 - 1.645) / 2, abs=2e-3)


def test_pooled_coverages_around_the_target_cancel(rng):
    p, y, code = classifier(rng, 20_000)
    found = measure_sets(split_halves(p, y, code, ("a", "b"), rng=rng), 0.1).policies["pooled"]
    share = np.array([g.n for g in found.groups]) / found.everyone.n
    off = np.array([g.coverage.value - 0.9 for g in found.groups])
    assert abs(share @ off) < 0.01 and np.abs(off).min() > 0.01 and off[0] * off[1] < 0
    assert found.coverage_gap.low > 0


def test_equal_sizes_give_equal_sizes_and_cover_together(rng):
    p, y, code = classifier(rng, 20_000)
    found = measure_sets(split_halves(p, y, code, ("a", "b"), rng=rng), 0.1)
    sizes = [g.size.value for g in found.policies["size"].groups]
    assert abs(sizes[0] - sizes[1]) < 0.03
    assert found.policies["size"].everyone.coverage.value == pytest.approx(0.9, abs=0.01)
    assert found.policies["group"].size_gap.value > 10 * found.policies["size"].size_gap.value
    assert found.policies["size"].coverage_gap.value > found.policies["group"].coverage_gap.value


@pytest.mark.parametrize("policy", ["pooled", "group"])
def test_intervals_hold_the_uncertainty_of_both_halves(policy):
    """Over 200 tables the interval of a group's coverage holds what this policy gives that group in the long run, and
    the gap of coverage under own thresholds, which is 0 but for whole rows, is taken for chance. The sure group's
    threshold lies where empty sets turn into full ones: the share of unclear sets has its least value and a kink there,
    and its interval covers less."""
    rng = np.random.default_rng(0)
    p, y, code = classifier(rng, 300_000)
    truth = measure_policy(split_halves(p, y, code, ("a", "b"), rng=rng), 0.1, policy)
    inside, sure = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        p, y, code = classifier(rng, 800)
        found = measure_policy(split_halves(p, y, code, ("a", "b"), rng=rng), 0.1, policy)
        inside.append([[getattr(g, name).low <= getattr(t, name).value <= getattr(g, name).high
                        for name in ("coverage", "size", "unclear")]
                       for g, t in zip(found.groups, truth.groups, strict=True)])
        sure.append(found.coverage_gap.low > 0)
    share = np.mean(inside, 0)
    assert (share[:, :2] > 0.92).all() and share[1, 2] > 0.92 and share[0, 2] > 0.8, share
    if policy == "group":
        assert np.mean(sure) <= 0.06


def test_the_way_between_the_policies_starts_and_ends_at_them_and_trades_one_for_the_other(rng):
    p, y, code = classifier(rng, 8000)
    found = measure_sets(split_halves(p, y, code, ("a", "b"), rng=rng), 0.1)
    first, last = found.path.iloc[0], found.path.iloc[-1]
    for end, name in ((first, "pooled"), (last, "group")):
        assert end["coverage_gap"] == found.policies[name].coverage_gap.value
        assert end["size_gap"] == found.policies[name].size_gap.value
    assert first["coverage_gap"] > last["coverage_gap"] and first["size_gap"] < last["size_gap"]


def test_the_shares_of_sets_add_up_and_give_size_and_coverage(rng):
    p, y, code = classifier(rng, 2000)
    for policy in measure_sets(split_halves(p, y, code, ("a", "b"), kind="aps", rng=rng), 0.2).policies.values():
        for g in (*policy.groups, policy.everyone):
            share = {k: v.value for k, v in g.shares.items()}
            assert sum(share.values()) == pytest.approx(1)
            assert share["one, right"] + share["several"] == pytest.approx(g.coverage.value)
            assert share["one, right"] + share["one, wrong"] + 2 * share["several"] == pytest.approx(g.size.value)
            assert g.unclear.value == pytest.approx(share["none"] + share["several"])


def table(rng, n=400) -> pd.DataFrame:
    score = rng.beta(1, 1, n)
    return pd.DataFrame({"y": np.where(rng.random(n) < score, "yes", "no"), "score": score,
                         "g": np.where(np.arange(n) < n - 12, "many", "few"), "person": np.arange(n) // 2,
                         "w": rng.uniform(1, 2, n)})


def test_the_answer_names_who_gets_the_unclear_sets_and_whom_they_miss():
    rng = np.random.default_rng(0)
    p, y, code = classifier(rng, 20_000)
    found = measure_sets(split_halves(p, y, code, ("sure", "unsure"), rng=rng), 0.1)
    said = answer(found)
    first = max(found.policies["pooled"].groups, key=lambda g: g.unclear.value)
    assert f"{100 * first.unclear.value:.0f} (" in said[0].split(f" among {first.label}")[0]
    assert "larger than chance explains" in said[0] and "for 90 of 100" in said[1]
    assert "within chance" in answer(found, "group")[1]
    assert "Fewer than two groups" in answer(measure_sets(split_halves(p, y, code * 0, ("all",), rng=rng), 0.1))[0]


SPEC = AuditSpec("y", "yes", scores=("score",), attributes=("g",))


def test_a_group_too_small_to_calibrate_gets_the_whole_set_and_a_sentence(rng):
    found = conformal(make_predictions(table(rng), SPEC), alpha=0.05)
    few = next(g for g in found.policies["group"].groups if g.label == "few")
    assert few.threshold == np.inf and few.size.value == 2 and few.coverage.value == 1 and few.small
    assert "few: " in found.notes[0] and "95 % needs 19" in found.notes[0]
    tiny = conformal(make_predictions(table(rng, 30), replace(SPEC, attributes=())), alpha=0.01)
    assert "too few for 99 %" in tiny.notes[0] and tiny.policies["pooled"].everyone.size.value == 2


def test_persons_stay_together_and_the_seed_repeats_the_halves(rng):
    rows = make_predictions(table(rng), replace(SPEC, person="person", weight="w"))
    p = np.column_stack([1 - rows.models[0].score, rows.models[0].score])
    found = split_halves(p, rows.y, rows.groups.code, rows.groups.labels, unit=rows.person, rng=rng)
    assert not set(found.calibration.unit) & set(found.evaluation.unit)
    assert len(found.calibration.y) == len(found.evaluation.y) == 200
    one, two, other = (conformal(rows, seed=s).policies["pooled"].everyone.coverage for s in (0, 0, 1))
    assert one == two != other


def test_what_cannot_have_sets_is_refused(rng):
    frame = table(rng)
    with pytest.raises(BadInput, match="points"):
        conformal(make_predictions(frame, replace(SPEC, score_kind="points")))
    with pytest.raises(BadInput, match="misses"):
        conformal(make_predictions(frame, SPEC), alpha=0.0)
    with pytest.raises(BadInput, match="Kind"):
        conformal(make_predictions(frame, SPEC), kind="raps")
    with pytest.raises(BadInput, match="Persons"):
        conformal(make_predictions(frame.assign(person=1), replace(SPEC, person="person")))
