from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from core.counts import count_confusion, predict
from core.inference import (
    auc_interval,
    bootstrap_counts,
    bootstrap_runs,
    effective_n,
    group_effective_n,
    interval,
    resample_seeds,
    seed_interval,
    wilson,
)
from core.metrics.measure import parse
from core.types import BadInput, Scores


def make_scores(rng, runs=3, n=200, attrs=2, weighted=False):
    attr, y = rng.integers(0, attrs, n), rng.integers(0, 2, n)
    w = rng.random(n).astype(np.float32) + 0.5 if weighted else np.ones(n, np.float32)
    score = np.clip(0.3 * y + 0.7 * rng.random((runs, n)), 0, 1).astype(np.float32)
    return Scores(score, np.full((runs, attrs), 0.5), y, attr, w, np.arange(n))


@pytest.mark.parametrize("k, n, low, high", [(50, 100, 0.4038, 0.5962), (1, 1, 0.2065, 1.0), (0, 20, 0.0, 0.1611)])
def test_wilson_known_answers(k, n, low, high):
    found = wilson(k, n)
    assert found[0] == pytest.approx(low, abs=5e-5) and found[1] == pytest.approx(high, abs=5e-5)


def test_wilson_takes_arrays_and_has_no_interval_without_rows():
    low, high = wilson(np.array([0, 3, 0]), np.array([0, 4, 5]))
    assert np.isnan([low[0], high[0]]).all() and low[1] < 0.75 < high[1] and low[2] == 0.0


@given(st.integers(0, 50), st.integers(0, 50))
def test_wilson_holds_the_rate_and_is_symmetric(k, extra):
    n = k + extra
    low, high = wilson(k, n)
    if n:
        assert 0 <= low <= k / n <= high <= 1
        other = wilson(n - k, n)
        assert low == pytest.approx(1 - other[1]) and high == pytest.approx(1 - other[0])


def test_wilson_covers_the_truth_about_as_often_as_it_says(rng):
    for p in (0.05, 0.5, 0.9):
        low, high = wilson(rng.binomial(40, p, 4000), 40)
        assert 0.92 < ((low <= p) & (p <= high)).mean() < 0.985


def test_an_impossible_level_is_refused():
    with pytest.raises(BadInput, match="between 0 and 1"):
        wilson(1, 2, level=95)


def test_effective_n_of_equal_weights_is_the_number_of_rows():
    assert effective_n(np.full((2, 10), 3.0)).tolist() == [10, 10]
    assert effective_n(np.array([3.0, 1.0])) == pytest.approx(1.6)
    assert effective_n(np.zeros(3)) == 0


def test_effective_n_of_groups_is_put_together_from_cells(rng):
    y, attr, w = rng.integers(0, 2, 300), rng.integers(0, 3, 300), rng.random(300)
    counts = count_confusion(y, y, attr, 2, 3, w)
    cells = np.array([[effective_n(w[(y == c) & (attr == a)]) for a in range(3)] for c in range(2)])
    expected = [float(effective_n(w[attr == a])) for a in range(3)]
    assert group_effective_n(counts, cells) == pytest.approx(expected)


def test_drawn_tables_keep_group_sizes_and_empty_groups_and_nan(rng):
    counts = np.array([[[30.0, 10.0], [5.0, 15.0]], [[0.0, 0.0], [0.0, 0.0]], np.full((2, 2), np.nan)])
    drawn = bootstrap_counts(counts, None, 50, rng)
    assert drawn.shape == (50, 3, 2, 2)
    assert (drawn[:, 0].sum((-2, -1)) == 60).all()
    assert not drawn[:, 1].any() and np.isnan(drawn[:, 2]).all()


def test_drawn_tables_have_multinomial_mean_and_variance(rng):
    counts = np.array([[[40.0, 20.0], [10.0, 30.0]]])
    drawn = bootstrap_counts(counts, None, 20_000, rng)[:, 0].reshape(-1, 4)
    share = counts.ravel() / 100
    assert drawn.mean(0) == pytest.approx(100 * share, abs=0.2)
    assert drawn.var(0) == pytest.approx(100 * share * (1 - share), rel=0.05)


def test_weighted_tables_draw_as_many_rows_as_are_effective(rng):
    counts = np.array([[[400.0, 200.0], [100.0, 300.0]]])
    cells = np.array([[30.0], [20.0]])
    drawn = bootstrap_counts(counts, cells, 20_000, rng)[:, 0]
    rows = float(group_effective_n(counts, cells)[0])
    assert drawn.sum((-2, -1)) == pytest.approx(np.full(20_000, 1000.0))
    assert (drawn[:, 0, 0] / 1000).var() == pytest.approx(0.4 * 0.6 / round(rows), rel=0.05)
    assert np.array_equal(bootstrap_counts(counts, np.array([7.0]), 1, rng).sum(), 1000.0)


def test_bootstrap_intervals_cover_the_truth_about_as_often_as_they_say(rng):
    truth = np.array([[0.45, 0.05], [0.2, 0.3]])
    samples = rng.multinomial(300, truth.ravel(), size=400).reshape(400, 1, 2, 2).astype(float)
    low, high = interval(parse("accuracy").of(bootstrap_counts(samples, None, 300, rng)))
    hits = ((low <= 0.75) & (high >= 0.75)).mean()
    assert 0.9 < hits < 0.985


def test_gap_of_a_tiny_group_keeps_an_interval_because_no_world_loses_the_group(rng):
    counts = np.array([[[50.0, 50.0], [0, 0]], [[0, 1.0], [0, 0]]])
    low, high = interval(parse("selection_rate.gap").of(bootstrap_counts(counts, None, 500, rng)))
    assert 0.38 < low < 0.45 and 0.55 < high < 0.62


@pytest.mark.parametrize("weighted", [False, True])
def test_paired_worlds_equal_a_loop_over_resampled_rows(rng, weighted):
    scores = make_scores(rng, weighted=weighted)
    drawn = bootstrap_runs(scores, 4, np.random.default_rng(5))
    pred = predict(scores.score, scores.thresholds, scores.attr)
    whole = count_confusion(pred, scores.y, scores.attr, 2, 2, scores.w)
    assert drawn.shape == (4, 3, 2, 2, 2)
    if not weighted:
        assert np.array_equal(drawn.sum((-2, -1)), np.broadcast_to(whole.sum((-2, -1)), (4, 3, 2)))
    # true classes are the same rows in every run: pairing
    assert np.allclose(drawn.sum(-1), drawn.sum(-1)[:, :1])
    many = bootstrap_runs(scores, 3000, rng)
    assert many.mean(0) == pytest.approx(whole, rel=0.03, abs=0.3)


def test_paired_worlds_are_the_same_for_equal_generators_and_rows(rng):
    scores = make_scores(rng)
    one = bootstrap_runs(scores, 6, np.random.default_rng(1))
    alone = scores.__class__(scores.score[1:2], scores.thresholds[1:2], scores.y, scores.attr, scores.w, scores.rows)
    assert np.array_equal(one[:, 1:2], bootstrap_runs(alone, 6, np.random.default_rng(1)))


def test_paired_differences_are_sharper_than_independent_ones(rng):
    scores = make_scores(rng, runs=1, n=400)
    score = np.repeat(scores.score, 2, 0)
    score[1, :8] = 1 - score[1, :8]  # two models that differ on eight rows
    both = scores.__class__(score, np.full((2, 2), 0.5), scores.y, scores.attr, scores.w, scores.rows)
    accuracy = parse("accuracy").of(bootstrap_runs(both, 400, rng))
    pred = predict(both.score, both.thresholds, both.attr)
    apart = parse("accuracy").of(bootstrap_counts(count_confusion(pred, both.y, both.attr, 2, 2), None, 400, rng))
    assert np.ptp(accuracy, -1).std() < np.diff(apart).std() / 2


def test_paired_worlds_of_several_classes_and_of_a_diverged_run(rng):
    y, attr = rng.integers(0, 3, 90), rng.integers(0, 2, 90)
    score = rng.random((2, 90, 3)).astype(np.float32)
    score[1, 3] = np.nan
    scores = Scores(score, np.full((2, 2), np.nan), y, attr, np.ones(90, np.float32), np.arange(90))
    drawn = bootstrap_runs(scores, 5, rng)
    assert drawn.shape == (5, 2, 2, 3, 3) and np.isnan(drawn[:, 1]).all()
    assert np.array_equal(drawn[:, 0].sum((-2, -1)), np.tile(np.bincount(attr), (5, 1)))


def test_paired_worlds_stay_under_300_megabytes(rng):
    scores = make_scores(rng, runs=50, n=60_000)
    tracemalloc.start()
    bootstrap_runs(scores, 250, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * 2**20


def test_interval_leaves_undefined_worlds_out_but_not_too_many():
    worlds = np.linspace(0, 1, 101)
    low, high = interval(worlds, 0.9)
    assert low == pytest.approx(0.05) and high == pytest.approx(0.95)
    few = np.append(worlds, [np.nan] * 5)
    assert interval(few, 0.9)[0] == pytest.approx(0.05)
    assert np.isnan(interval(np.append(worlds, [np.nan] * 50), 0.9)[0])
    assert np.isnan(interval(np.full((5, 2), np.nan))).all()


@given(st.lists(st.floats(-1, 1), min_size=20, max_size=40))
def test_interval_equals_numpy_quantiles(worlds):
    low, high = interval(np.array(worlds), 0.8)
    assert [low, high] == pytest.approx(np.quantile(worlds, [0.1, 0.9]))


def test_seeds_drawn_again_have_the_variance_of_a_mean(rng):
    values = rng.normal(0, 1, (1, 8))
    worlds = resample_seeds(values, 20_000, rng)[:, 0]
    assert worlds.mean() == pytest.approx(values.mean(), abs=0.02)
    assert worlds.var() == pytest.approx(values.var(ddof=1) / 8, rel=0.05)


def test_one_seed_does_not_vary_and_missing_seeds_are_left_out(rng):
    values = np.array([[0.5, np.nan, np.nan], [0.2, np.nan, 0.4], [np.nan, np.nan, np.nan]])
    worlds = resample_seeds(values, 50, rng)
    assert (worlds[:, 0] == 0.5).all() and worlds[:, 1].std() > 0 and np.isnan(worlds[:, 2]).all()


def test_both_axes_draw_the_same_seeds(rng):
    values = rng.random((1, 4, 3))
    worlds = resample_seeds(np.concatenate([values, 1 - values]), 30, rng)
    assert worlds.shape == (30, 2, 4) and np.allclose(worlds.sum(1), 1.0)


def test_interval_over_seeds_and_rows_covers_the_truth(rng):
    """Seeds vary by 0.02 around the truth; all are measured on the same rows, which err by 0.02 together."""
    found = []
    for _ in range(300):
        shift = rng.normal(0, 0.02)
        seeds = 0.8 + shift + rng.normal(0, 0.02, 5)
        low, high = seed_interval(seeds, rng.normal(0, 0.02, 400), 400, rng)
        found.append(low <= 0.8 <= high)
    assert 0.88 < np.mean(found) < 0.99


def test_seed_interval_without_row_noise_is_narrower(rng):
    seeds = np.array([0.7, 0.72, 0.74])
    bare = seed_interval(seeds, None, 500, rng)
    full = seed_interval(seeds, rng.normal(0, 0.05, 500), 500, rng)
    assert full[1] - full[0] > bare[1] - bare[0] > 0


@given(st.integers(0, 1000))
def test_auc_equals_scikit_learn_with_ties_and_weights(seed):
    rng = np.random.default_rng(seed)
    score, y, w = rng.integers(0, 6, 40) / 5, np.arange(40) % 2, rng.random(40) + 0.1
    assert auc_interval(score, y)[0] == pytest.approx(roc_auc_score(y, score))
    assert auc_interval(score, y, w)[0] == pytest.approx(roc_auc_score(y, score, sample_weight=w))


def test_auc_interval_has_the_width_of_the_row_bootstrap(rng):
    y = rng.integers(0, 2, 300)
    score = y + rng.normal(0, 1.5, 300)
    auc, low, high = auc_interval(score, y)
    worlds = []
    for _ in range(400):
        pick = rng.integers(0, 300, 300)
        worlds.append(auc_interval(score[pick], y[pick])[0])
    assert low < auc < high
    assert (high - low) / 3.92 == pytest.approx(np.std(worlds), rel=0.15)


def test_auc_without_both_classes_is_undefined():
    assert np.isnan(auc_interval(np.array([0.1, 0.2]), np.array([1, 1]))).all()
    auc, low, _ = auc_interval(np.array([0.1, 0.2]), np.array([0, 1]))
    assert auc == 1.0 and np.isnan(low)
