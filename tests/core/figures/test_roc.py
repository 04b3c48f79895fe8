from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from core.figures.roc import area_table, plot_pr, plot_roc, roc_table

GROUPS = ("women", "men")


@pytest.fixture
def world(rng):
    attr, y = rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    return np.round(0.4 * y + 0.6 * rng.random(300), 2), y, attr


def test_curves_equal_scikit_learn_in_every_group(world):
    score, y, attr = world
    table = roc_table(*world, attr_labels=GROUPS)
    for label, m in (("women", attr == 0), ("everyone", attr >= 0)):
        part = table[table["group"] == label]
        fpr, tpr, at = roc_curve(y[m], score[m], drop_intermediate=False)
        assert np.allclose(part["fpr"], fpr) and np.allclose(part["tpr"], tpr)
        assert np.allclose(part["threshold"][1:], at[1:])
        precision, recall, _ = precision_recall_curve(y[m], score[m])
        assert np.allclose(part["precision"][1:], precision[:-1][::-1]) and np.allclose(part["tpr"], recall[::-1])


def test_areas_equal_scikit_learn_and_hold_their_intervals(world):
    score, y, attr = world
    table = area_table(*world, attr_labels=GROUPS).set_index("group")
    for label, m in (("men", attr == 1), ("everyone", attr >= 0)):
        assert table.loc[label, "auc"] == pytest.approx(roc_auc_score(y[m], score[m]))
        assert table.loc[label, "average_precision"] == pytest.approx(average_precision_score(y[m], score[m]))
        assert table.loc[label, "auc_low"] < table.loc[label, "auc"] < table.loc[label, "auc_high"]
    assert table.loc["everyone", "positives"] == y.sum()
    weight = np.arange(len(y)) % 3 + 1.0
    heavy = area_table(*world, attr_labels=GROUPS, weight=weight).set_index("group")
    assert heavy.loc["everyone", "average_precision"] == pytest.approx(
        average_precision_score(y, score, sample_weight=weight))


def test_a_group_without_positives_is_undefined_in_words_and_not_drawn(world):
    score, y, attr = world
    y = np.where(attr == 0, 0, y)
    table = area_table(score, y, attr, attr_labels=GROUPS).set_index("group")
    assert np.isnan(table.loc["women", "auc"]) and table.loc["women", "undefined"] == "0 positives"
    names = [t.name for t in plot_roc(roc_table(score, y, attr, attr_labels=GROUPS)).data]
    assert names == ["men", "everyone", "guessing"]


def test_chosen_thresholds_lie_on_the_curve(world):
    score, y, attr = world
    table = roc_table(*world, attr_labels=GROUPS)
    figure = plot_roc(table, areas=area_table(*world, attr_labels=GROUPS), thresholds={"women": 0.5, "men": np.inf})
    marks = [t for t in figure.data if t.mode == "markers"]
    m = (attr == 0) & (y == 1)
    assert marks[0].y[0] == pytest.approx((score[m] >= 0.5).mean()) and marks[1].x[0] == 0
    assert "AUC" in figure.data[0].name
    pr = plot_pr(table, thresholds={"women": 0.5})
    assert pr.layout.xaxis.title.text.startswith("True positive rate") and len(pr.data) == 4


def test_nothing_to_draw_says_why():
    table = roc_table(np.array([0.5]), np.array([1]), np.array([0]), attr_labels=("women",))
    assert plot_roc(table).layout.annotations[0].text.startswith("Undefined")
