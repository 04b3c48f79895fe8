from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve

from core import registry
from core.audit.calibration import answer, calibration, meaning, reliability
from core.audit.prepare import make_predictions
from core.audit.recalibration import expit, logit
from core.types import AuditSpec, BadInput, Scored

SPEC = AuditSpec("y", "yes", scores=("score",), attributes=("g",))


def table(rng, n=600, bend=lambda p, second: p, groups=("a", "b"), **more) -> pd.DataFrame:
    """n rows a group; bend(p, is second group) is the true chance of a score p."""
    score = rng.beta(2, 3, n * len(groups))
    g = np.repeat(groups, n)
    y = np.where(rng.random(len(score)) < bend(score, g == groups[-1]), "yes", "no")
    return pd.DataFrame({"y": y, "score": score, "g": g, **more})


def test_the_error_is_the_metric_the_overview_shows(rng):
    frame = table(rng, w=rng.uniform(0.2, 3, 1200))
    frame["score"] = frame["score"].round(2)  # ties
    for spec in (SPEC, replace(SPEC, weight="w")):
        rows = make_predictions(frame, spec)
        w = np.ones(rows.n) if rows.w is None else rows.w
        other = registry.metric("ece").of(Scored(rows.models[0].score, rows.y, rows.groups.code, 2, w))
        found = calibration(rows)
        np.testing.assert_allclose([g.error.value for g in found.groups], other, atol=1e-12)


def test_in_the_large_is_the_mean_score_minus_the_share_by_hand():
    frame = pd.DataFrame({"y": ["yes", "no", "no", "yes"], "score": [.9, .5, .2, .4], "g": list("aabb")})
    one, two = calibration(make_predictions(frame, SPEC)).groups
    assert (one.large.value, two.large.value) == pytest.approx((0.2, -0.2))
    assert one.share.value == 0.5 and one.mean_score == pytest.approx(0.7)
    assert one.large.low < 0.2 < one.large.high and one.small


def test_scores_that_mean_the_same_pass_in_nine_of_ten_samples_and_cover():
    """500 groups with calibrated scores: each 95 % interval covers its truth in 93 to 97.5 % of them."""
    hits, p, alone = [], [], []
    for seed in range(250):
        found = calibration(make_predictions(table(np.random.default_rng(seed), 200), SPEC))
        for g in found.groups:
            hits.append([g.large.low <= 0 <= g.large.high, g.slope.low <= 1 <= g.slope.high,
                         g.intercept.low <= 0 <= g.intercept.high, g.error.low == 0])
            alone.append(g.p)
        p.append(found.same)
    share = np.mean(hits, 0)
    assert (share[:3] > 0.93).all() and (share[:3] < 0.975).all() and share[3] > 0.95
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.09 and 0.015 < np.mean(np.array(alone) < 0.05) < 0.085


def test_the_error_s_interval_covers_a_true_error_and_chance_is_taken_off():
    """The truth from a sample of a million rows, cut into the same 15 bins of equal mass."""
    bend = lambda p, second: expit(0.5 * logit(p) + 0.2)  # noqa: E731
    big = np.sort(np.random.default_rng(0).beta(2, 3, 999_990))
    truth = np.abs((bend(big, 0) - big).reshape(15, -1).mean(1)).mean()
    groups = [calibration(make_predictions(table(np.random.default_rng(s), 300, bend), SPEC)).groups
              for s in range(100)]
    inside = [g.error.low <= truth <= g.error.high for pair in groups for g in pair]
    raw, mended = (np.mean([f(g) for pair in groups for g in pair]) for f in (lambda g: g.error.value,
                                                                              lambda g: g.corrected))
    assert np.mean(inside) >= 0.95
    assert raw - truth > 3 * abs(mended - truth)


def test_a_bent_group_is_found_and_its_line_read_at_a_score(rng):
    bend = lambda p, second: np.where(second, expit(logit(p) - 1.0), p)  # noqa: E731
    found = calibration(make_predictions(table(rng, 3000, bend), SPEC))
    assert found.same < 1e-6 and found.groups[0].p_holm > 0.05 > found.groups[1].p_holm
    half = {g.label: v for g, v in zip(found.groups, meaning(found, 0.5), strict=True)}
    low, high = half["b"].low, half["b"].high
    assert low < expit(np.array(-1.0)) < high and half["a"].low < 0.5 < half["a"].high
    said = " ".join(answer(found))
    assert "do not mean the same" in said and "b (scores too high)" in said
    apart = found.apart[0]
    assert (apart.label, apart.reference) == ("b", "a") and apart.large.low > 0 and apart.p_large < 1e-6


def test_bins_agree_with_scikit_learn_s_quantile_bins(rng):
    rows = make_predictions(table(rng, 400), SPEC)
    found = reliability(rows, bins=10)
    for g, part in found.groupby("group"):
        here = rows.groups.code == rows.groups.labels.index(g)
        seen, said = calibration_curve(rows.y[here], rows.models[0].score[here], n_bins=10, strategy="quantile")
        np.testing.assert_allclose(part["predicted"], said, atol=1e-12)
        np.testing.assert_allclose(part["observed"], seen, atol=1e-12)
    assert (found["n"] == 40).all() and (found["low"] <= found["observed"]).all()


def test_small_groups_have_fewer_bins():
    frame = table(np.random.default_rng(0), 45)
    assert reliability(make_predictions(frame, SPEC)).groupby("group").size().tolist() == [2, 2]


def test_persons_counted_four_times_are_no_more_certain(rng):
    """Every row four times with its person: the same intervals as the rows once, half as wide without the persons."""
    once = table(rng, 400)
    four = pd.concat([once.assign(person=range(800))] * 4, ignore_index=True)
    one = calibration(make_predictions(once, SPEC)).groups[0]
    with_persons = calibration(make_predictions(four, replace(SPEC, person="person"))).groups[0]
    without = calibration(make_predictions(four, SPEC)).groups[0]
    width = lambda v: v.high - v.low  # noqa: E731
    for name in ("large", "slope", "share"):
        a, b, c = (width(getattr(g, name)) for g in (one, with_persons, without))
        assert b == pytest.approx(a, rel=0.03) and c == pytest.approx(a / 2, rel=0.05)
    assert with_persons.chance == pytest.approx(one.chance, rel=0.05)


def test_a_group_with_one_outcome_has_no_slope_but_says_why():
    frame = pd.DataFrame({"y": ["yes"] * 30 + ["yes", "no"] * 15, "score": np.linspace(.1, .9, 60),
                          "g": ["a"] * 30 + ["b"] * 30})
    found = calibration(make_predictions(frame, SPEC))
    assert found.groups[0].slope.undefined == "0 negatives" and np.isnan(found.same)
    assert "Fewer than two groups" in answer(found)[0]
    assert meaning(found, 0.5)[0].undefined == "0 negatives"
    assert found.groups[0].large.high - found.groups[0].large.low > 0.1  # never surer than the scores themselves


def test_what_cannot_be_calibrated_is_refused(rng):
    frame = table(rng, 30)
    with pytest.raises(BadInput, match="points"):
        calibration(make_predictions(frame, replace(SPEC, score_kind="points")))
    with pytest.raises(BadInput, match="scores"):
        calibration(make_predictions(frame.drop(columns="score").assign(p="yes"),
                                     AuditSpec("y", "yes", ("p",), attributes=("g",))))
    with pytest.raises(BadInput, match="Score"):
        meaning(calibration(make_predictions(frame, SPEC)), 1.0)
