from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import recall_score

from core.figures.thresholds import GAP_OF, baseline_table, plot_sweep, rule_table, sweep_table
from core.inference import wilson
from core.metrics.measure import measures
from core.types import BadInput, Scores

GROUPS = ("women", "men")


@pytest.fixture
def world(rng):
    attr, y = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    score = np.round(np.clip(0.3 * y + 0.1 * attr + 0.6 * rng.random(400), 0, 1), 2).astype(np.float32)
    return score, y, attr


def as_scores(score, y, attr):
    return Scores(score[None], np.full((1, 2), 0.5), y, attr, np.ones(len(y), np.float32), np.arange(len(y)))


def test_a_sweep_is_exact_at_every_distinct_score(world):
    score, y, attr = world
    table = sweep_table(score, y, attr, attr_labels=GROUPS, metrics=("tpr", "ppv"))
    women = table[(table["group"] == "women") & (table["metric"] == "tpr")]
    assert women["threshold"].tolist() == [*sorted(set(score.tolist())), np.inf]
    m = attr == 0
    for t, value in zip(women["threshold"][:5], women["value"], strict=False):
        assert value == pytest.approx(recall_score(y[m], score[m] >= t))
    nobody = table[np.isinf(table["threshold"]) & (table["metric"] == "ppv")]
    assert nobody["value"].isna().all() and set(nobody["group"]) == {"women", "men", "everyone"}


def test_a_drawn_sweep_is_thinned_but_keeps_both_ends(rng):
    score = rng.random(20_000)
    table = sweep_table(score, (score > 0.5).astype(int), rng.integers(0, 2, 20_000), attr_labels=GROUPS)
    figure = plot_sweep(table, thresholds={"women": 0.4, "men": np.inf}, group_order=GROUPS)
    assert all(len(trace.x) <= 500 for trace in figure.data)
    everyone = next(t for t in figure.data if t.name == "everyone")
    assert everyone.x[0] == score.min() and everyone.x[-1] == score.max() and everyone.line.shape == "vh"
    assert figure.layout.yaxis.title.text == "Accuracy (better ↑)" and len(figure.layout.shapes) == 1


def test_rule_table_by_hand():
    score = np.array([0.9, 0.6, 0.4, 0.1, 0.9, 0.8])
    y, attr = np.array([1, 0, 1, 0, 1, 1]), np.array([0, 0, 0, 0, 1, 1])
    table = rule_table(score, y, attr, np.array([0.5, 0.85]), attr_labels=GROUPS).set_index("group")
    assert table["selected"].tolist()[:3] == [2, 1, 3] and table["n"].tolist()[:3] == [4, 2, 6]
    assert table.loc["women", "tpr"] == 0.5 and table.loc["women", "fpr"] == 0.5
    assert np.isnan(table.loc["men", "fpr"]) and table.loc["men", "fpr_undefined"] == "0 negatives"
    low, high = wilson(1, 2)
    assert [table.loc["women", "tpr_low"], table.loc["women", "tpr_high"]] == pytest.approx([float(low), float(high)])
    assert table.loc["gap", "selection_rate"] == 0.0 and table.loc["ratio", "selection_rate"] == 1.0
    assert np.isnan(table.loc["gap", "fpr"]) and table.loc["gap", "fpr_undefined"] == "0 negatives"
    assert table.loc["women", "threshold"] == 0.5 and np.isnan(table.loc["everyone", "threshold"])


def test_gaps_and_metrics_that_are_no_rates_have_bootstrap_intervals(world):
    table = rule_table(*world, np.full(2, 0.5), attr_labels=GROUPS, metrics=("f1", "tpr")).set_index("group")
    assert table.loc["everyone", "threshold"] == 0.5
    for row in ("women", "everyone", "gap"):
        assert table.loc[row, "f1_low"] <= table.loc[row, "f1"] <= table.loc[row, "f1_high"]
    assert table.loc["gap", "tpr_low"] <= table.loc["gap", "tpr"] <= table.loc["gap", "tpr_high"]


def test_weights_widen_intervals_by_the_effective_number_of_rows(world):
    score, y, attr = world
    weight = np.where(np.arange(len(y)) % 10 == 0, 20.0, 0.5)
    plain = rule_table(score, y, attr, np.full(2, 0.5), attr_labels=GROUPS).set_index("group")
    heavy = rule_table(score, y, attr, np.full(2, 0.5), attr_labels=GROUPS, weight=weight).set_index("group")
    assert heavy.loc["women", "n_effective"] < plain.loc["women", "n_effective"] / 3
    width = [t.loc["women", "accuracy_high"] - t.loc["women", "accuracy_low"] for t in (plain, heavy)]
    assert width[1] > 1.5 * width[0]


def test_a_group_without_rows_and_nobody_selected_are_undefined_in_words(world):
    score, y, attr = world
    table = rule_table(score, y, attr, np.full(3, np.inf), attr_labels=(*GROUPS, "missing")).set_index("group")
    assert table.loc["missing", "accuracy_undefined"] == "0 rows" and table.loc["women", "selection_rate"] == 0
    assert table.loc["women", "ppv_undefined"] == "nobody selected"
    assert table.loc["ratio", "selection_rate_undefined"] == "nobody selected"


def test_baseline_is_found_on_one_split_and_measured_on_the_other(world, rng):
    fit = as_scores(*world)
    table = baseline_table(fit, fit, 0, y="selection_rate.gap")
    assert np.allclose(table["y"], table["gap"]) and (np.diff(table["x"]) > 0).all()
    half = np.arange(len(world[1])) % 2 == 0
    other = baseline_table(as_scores(*(a[half] for a in world)), as_scores(*(a[~half] for a in world)), 0)
    assert {"x", "y", "label", "gap", "threshold_0", "threshold_1"} <= set(other.columns)
    assert not np.allclose(1 - other["y"], other["gap"])
    same = baseline_table(fit, fit, 0)
    assert np.allclose(1 - same["y"], same["gap"]) and len(same) <= 60
    shared = baseline_table(fit, fit, 0, shared=True)
    assert (shared["threshold_0"] == shared["threshold_1"]).all()
    assert same["y"].max() >= shared["y"].max() - 1e-12


def test_baseline_follows_the_axes_whichever_way_round(world):
    fit = as_scores(*world)
    one, two = (baseline_table(fit, fit, 0, **axes) for axes in (
        {"x": "balanced_accuracy", "y": "tpr.gap"}, {"x": "tpr.gap", "y": "balanced_accuracy"}))
    assert np.allclose(one["x"], two["y"]) and np.allclose(one["y"], two["x"])
    assert set(GAP_OF) <= set(measures(2))


def test_several_classes_have_no_thresholds(world):
    fit = as_scores(*world)
    many = Scores(np.zeros((1, 5, 3)), np.full((1, 2), np.nan), fit.y, fit.attr, fit.w, fit.rows)
    assert baseline_table(many, many, 0).empty
    with pytest.raises(BadInput, match="without a reduction"):
        sweep_table(*world, attr_labels=GROUPS, metrics=("tpr.gap",))


def test_an_empty_sweep_says_so():
    empty = pd.DataFrame({"metric": [], "group": [], "threshold": [], "value": []})
    assert plot_sweep(empty).layout.annotations[0].text.startswith("Nothing to draw")
