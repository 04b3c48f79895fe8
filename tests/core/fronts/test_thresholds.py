"""Threshold fronts against trying every rule on small tables."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.counts import count_confusion, predict
from core.fronts import GAPS, OBJECTIVES, best_rule, group_threshold_front, non_dominated, shared_threshold_front
from core.metrics.measure import parse
from core.types import BadInput

KEYS = {"demographic_parity": "selection_rate.gap", "equal_opportunity": "tpr.gap", "predictive_equality": "fpr.gap",
        "accuracy_parity": "accuracy.gap", "equalized_odds": "equalized_odds.gap",
        "worst_group_error": "error_rate.worst", "worst_subgroup_error": "error_rate.worst@subgroup"}
COSTS = {"cost_fp": 1.0, "cost_fn": 3.0}


def value_of(counts, objective):
    if objective == "expected_cost":
        pooled = counts.sum(-3)
        return (pooled[..., 0, 1] + 3 * pooled[..., 1, 0]) / pooled.sum((-2, -1))
    found = parse(objective).of(counts)
    return np.nan_to_num(found) if objective == "f1" else found


def all_rules(score, y, attr, weight, objective, gap, shared=False):
    """(gap, value) of every rule there is."""
    n_attrs = attr.max() + 1
    ends = [np.append(np.unique(score if shared else score[attr == a]), np.inf) for a in range(n_attrs)]
    rules = np.array([(t,) * n_attrs for t in ends[0]] if shared else list(product(*ends)))
    counts = count_confusion(predict(np.tile(score, (len(rules), 1)), rules, attr), y, attr, 2, n_attrs, weight)
    return np.stack([parse(KEYS[gap]).of(counts), value_of(counts, objective)], -1)


@st.composite
def tables(draw, sizes=(4, 4)):
    attr = np.repeat(np.arange(len(sizes)), sizes)
    n = len(attr)
    number = lambda low, high: np.array(draw(st.lists(st.integers(low, high), min_size=n, max_size=n)))  # noqa: E731
    y = number(0, 1)
    assume(0 < y.sum() < n)
    return number(0, 5) / 5, y, attr, number(1, 2).astype(float)


def same_front(front, rules, higher):
    kept = rules[non_dominated(np.round(rules, 12), (False, higher))]
    expected = np.unique(np.round(kept, 10), axis=0)
    found = np.stack([front.gap, front.value], -1)
    assert np.allclose(found, expected), (found, expected)


@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@settings(max_examples=12)
@given(table=tables())
def test_exact_front_equals_trying_every_rule(table, objective, gap):
    score, y, attr, weight = table
    rules = all_rules(score, y, attr, weight, objective, gap)
    higher = objective != "expected_cost"
    front = group_threshold_front(score, y, attr, 2, objective=objective, gap=gap, weight=weight, resolution=0, **COSTS)
    shared = shared_threshold_front(score, y, attr, 2, objective=objective, gap=gap, weight=weight, **COSTS)
    if np.isnan(rules[:, 0]).all():
        assert np.isnan(front.gap).all() and len(front.gap) == 1 and "two groups" in front.note
        assert front.value[0] == pytest.approx(rules[:, 1].max() if higher else rules[:, 1].min())
        return
    same_front(front, rules, higher)
    same_front(shared, all_rules(score, y, attr, weight, objective, gap, shared=True), higher)
    for found in (front, shared):
        counts = count_confusion(predict(np.tile(score, (len(found.gap), 1)), found.thresholds, attr), y, attr, 2, 2,
                                 weight)
        assert np.allclose(parse(KEYS[gap]).of(counts), found.gap)
        assert np.allclose(value_of(counts, objective), found.value)


@settings(max_examples=10)
@given(table=tables((3, 3, 3)), bound=st.sampled_from([0.0, 0.2, 0.34, 0.5]))
@pytest.mark.parametrize("gap", GAPS)
def test_best_rule_equals_trying_every_rule(table, bound, gap):
    score, y, attr, weight = table
    for objective in ("accuracy", "f1"):
        rules = all_rules(score, y, attr, weight, objective, gap)
        rule = best_rule(score, y, attr, 3, bound, gap=gap, objective=objective, weight=weight)
        counts = count_confusion(predict(score, rule.thresholds, attr), y, attr, 2, 3, weight)
        value, reached = float(value_of(counts, objective)), float(parse(KEYS[gap]).of(counts))
        if np.isnan(rules[:, 0]).all():
            assert "cannot be computed" in rule.note and value == pytest.approx(rules[:, 1].max())
        elif (rules[:, 0] <= bound + 1e-12).any():
            assert reached <= bound + 1e-12
            assert value == pytest.approx(rules[rules[:, 0] <= bound + 1e-12, 1].max())
        else:
            assert reached == pytest.approx(rules[:, 0].min()) and rule.note.startswith("no rule keeps")
            assert value == pytest.approx(rules[rules[:, 0] <= reached + 1e-9, 1].max())


def world(rng, n=3000, groups=4):
    attr = rng.integers(0, groups, n)
    y = (rng.random(n) < 0.2 + 0.15 * attr).astype(int)
    score = 1 / (1 + np.exp(-(1.5 * y - 1 + 0.4 * attr + rng.normal(0, 1, n))))
    return score.astype(np.float32), y, attr


@pytest.mark.parametrize("gap", ["demographic_parity", "equal_opportunity", "accuracy_parity", "worst_group_error"])
def test_front_by_cells_is_within_one_cell_of_exact(gap, rng):
    score, y, attr = world(rng)
    front = group_threshold_front(score, y, attr, 4, gap=gap, resolution=0.005)
    assert (np.diff(front.gap) > 0).all() and (np.diff(front.value) > 0).all()
    for bound in (0.02, 0.05, 0.1, 0.2) if gap != "worst_group_error" else (0.3, 0.35, 0.4):
        rule = best_rule(score, y, attr, 4, bound, gap=gap)
        exact = parse("accuracy").of(count_confusion(predict(score, rule.thresholds, attr), y, attr, 2, 4))
        assert front.value[front.gap <= bound + 0.01].max() >= exact - 1e-12


def test_first_point_is_the_best_rule_at_the_smallest_gap_and_last_the_best_of_all(rng):
    score, y, attr = world(rng)
    front = group_threshold_front(score, y, attr, 4)
    assert front.gap[0] == 0.0
    rule = best_rule(score, y, attr, 4, 1.0)
    assert front.value[-1] == pytest.approx(
        parse("accuracy").of(count_confusion(predict(score, rule.thresholds, attr), y, attr, 2, 4)))


@pytest.mark.parametrize("objective, gap", [("accuracy", "equalized_odds"), ("f1", "demographic_parity"),
                                            ("f1", "equalized_odds")])
def test_front_by_bounds_is_monotone_and_reaches_what_it_says(objective, gap, rng):
    score, y, attr = world(rng, 900, 3)
    front = group_threshold_front(score, y, attr, 3, objective=objective, gap=gap, resolution=0.05)
    counts = count_confusion(predict(np.tile(score, (len(front.gap), 1)), front.thresholds, attr), y, attr, 2, 3)
    assert np.allclose(parse(KEYS[gap]).of(counts), front.gap) and np.allclose(value_of(counts, objective), front.value)
    assert (np.diff(front.gap) > 0).all() and (np.diff(front.value) > 0).all() and front.gap[0] < 0.05


def test_equalized_odds_rule_on_a_large_table_keeps_its_bound(rng):
    score, y, attr = world(rng, 4000)
    rule = best_rule(score, y, attr, 4, 0.05, gap="equalized_odds")
    counts = count_confusion(predict(score, rule.thresholds, attr), y, attr, 2, 4)
    assert parse("equalized_odds.gap").of(counts) <= 0.05
    assert "equalized odds gap 0.0" in rule.note and "on validation" in rule.note


def test_group_thresholds_reach_at_least_what_a_shared_one_does(rng):
    score, y, attr = world(rng)
    own, shared = group_threshold_front(score, y, attr, 4, resolution=0.002), shared_threshold_front(score, y, attr, 4)
    for gap, value in zip(shared.gap, shared.value, strict=True):
        assert own.value[own.gap <= gap + 0.004].max() >= value - 1e-12
    assert (shared.thresholds == shared.thresholds[:, :1]).all()


def test_a_group_without_rows_gets_the_best_shared_threshold_and_is_counted():
    score, y, attr = np.array([0.1, 0.9, 0.2, 0.8]), np.array([0, 1, 0, 1]), np.array([0, 0, 2, 2])
    rule = best_rule(score, y, attr, 3, 1.0)
    assert 0.2 < rule.thresholds[1] <= 0.8
    assert "1 group has no rows there" in rule.note


def test_one_group_has_no_gap_and_keeps_its_best_rule():
    score, y = np.array([0.1, 0.9, 0.2, 0.8]), np.array([0, 1, 0, 1])
    front = group_threshold_front(score, y, np.zeros(4, int), 1)
    assert np.isnan(front.gap).all() and front.value.tolist() == [1.0]
    assert "no bound was kept" in best_rule(score, y, np.zeros(4, int), 1, 0.1).note


def test_weights_count(rng):
    score, y, attr = world(rng, 300, 2)
    doubled = np.concatenate([np.arange(300), np.arange(100)])
    weight = np.ones(300)
    weight[:100] = 2
    one = group_threshold_front(score, y, attr, 2, weight=weight, resolution=0)
    two = group_threshold_front(score[doubled], y[doubled], attr[doubled], 2, resolution=0)
    assert np.allclose(one.gap, two.gap) and np.allclose(one.value, two.value)


@pytest.mark.parametrize("bad", [{"gap": "sex"}, {"objective": "auc"}, {"resolution": -1}, {"cost_fn": -1}])
def test_what_is_not_offered_is_refused(bad):
    with pytest.raises(BadInput):
        group_threshold_front(np.array([0.1, 0.9]), np.array([0, 1]), np.array([0, 1]), 2, **bad)


def test_a_negative_bound_is_refused():
    with pytest.raises(BadInput, match="Gap bound"):
        best_rule(np.array([0.1]), np.array([1]), np.array([0]), 1, -0.1)
