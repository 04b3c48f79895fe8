from __future__ import annotations

import numpy as np
import pytest
from filled import fill

from core.figures.thresholds import RATES
from core.types import Scores
from pages._ui import results, rule_view, state

INF = np.inf


@pytest.fixture
def given(folder):
    study = fill(folder)
    run = results.runs(study)[0]
    return state.task(state.store().study(study).spec), results.cohort_scores(run.cohort, "test", (run.position,))


@pytest.fixture
def ten():
    """Six women (three hired) and four men (two hired), scores in tenths."""
    score = np.array([[0.9, 0.7, 0.3, 0.6, 0.2, 0.1, 0.8, 0.4, 0.5, 0.1]])
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 0, 0])
    attr = np.array([0] * 6 + [1] * 4)
    return Scores(score, np.array([[0.5, 0.5]]), y, attr, np.ones(10), np.arange(10))


def rows(scores, *thresholds):
    return rule_view.numbers(scores, np.array(thresholds), ("women", "men")).set_index("group")


def test_a_rule_is_measured_for_every_group_and_everyone(given):
    task, scores = given
    found = rule_view.numbers(scores, np.array([0.5, 0.5]), task.attr_labels)
    assert found["group"].tolist()[:2] == list(task.attr_labels) and found["n"][2] == len(scores.y)
    assert {f"{name}_low" for name in RATES} <= set(found.columns)


def test_a_line_that_selects_nobody_leaves_precision_undefined(given):
    task, scores = given
    found = rule_view.numbers(scores, np.array([np.inf, np.inf]), task.attr_labels)
    assert (found["selection_rate"][:3] == 0).all() and found["ppv"][:3].isna().all()


def test_ten_people_are_counted_as_by_hand(ten):
    found = rows(ten, 0.5, 0.5)  # women: 2 hits, 1 miss, 1 false alarm; men: 1 hit, 1 miss, 1 false alarm (0.5 itself)
    assert found["n"].tolist()[:3] == [6, 4, 10] and found["selected"].tolist()[:3] == [3, 2, 5]
    assert found["threshold"].tolist()[:3] == [0.5, 0.5, 0.5]
    assert found.loc["women", list(RATES)].tolist() == pytest.approx([3 / 6, 4 / 6, 2 / 3, 1 / 3, 2 / 3])
    assert found.loc["men", list(RATES)].tolist() == pytest.approx([2 / 4, 2 / 4, 1 / 2, 1 / 2, 1 / 2])
    assert found.loc["everyone", list(RATES)].tolist() == pytest.approx([5 / 10, 6 / 10, 3 / 5, 2 / 5, 3 / 5])
    assert found.loc["gap", list(RATES)].tolist() == pytest.approx([0, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    assert found.loc["ratio", ["selection_rate", "accuracy", "tpr"]].tolist() == pytest.approx([1, 3 / 4, 3 / 4])


@pytest.mark.parametrize(("group", "name", "low", "high"), [  # Wilson, worked out for k of n at 95 %
    ("women", "selection_rate", 0.1876, 0.8124),  # 3 of 6
    ("women", "accuracy", 0.3000, 0.9032),  # 4 of 6
    ("women", "tpr", 0.2077, 0.9385),  # 2 of 3
    ("women", "fpr", 0.0615, 0.7923),  # 1 of 3
    ("men", "accuracy", 0.1500, 0.8500),  # 2 of 4
    ("men", "tpr", 0.0945, 0.9055),  # 1 of 2
    ("everyone", "accuracy", 0.3127, 0.8318)])  # 6 of 10
def test_rates_have_the_interval_of_those_they_are_counted_among(ten, group, name, low, high):
    found = rows(ten, 0.5, 0.5).loc[group]
    assert [found[f"{name}_low"], found[f"{name}_high"]] == pytest.approx([low, high], abs=6e-5)


def test_each_group_has_its_own_line_and_everyone_then_has_none(ten):
    found = rows(ten, 0.25, 0.6)
    assert found["threshold"].tolist()[:2] == [0.25, 0.6] and np.isnan(found.loc["everyone", "threshold"])
    assert found.loc["women", ["tpr", "fpr"]].tolist() == pytest.approx([1, 1 / 3])
    assert found.loc["men", ["tpr", "fpr"]].tolist() == pytest.approx([1 / 2, 0])


def test_weights_move_rates_and_selected_but_not_the_number_of_rows(ten):
    doubled = Scores(ten.score, ten.thresholds, ten.y, ten.attr, np.array([2.0, *[1.0] * 9]), ten.rows)
    found = rows(doubled, 0.5, 0.5).loc["women"]
    assert (found["n"], found["selected"]) == (6, 4) and found["n_effective"] == pytest.approx(49 / 9)
    assert found[["selection_rate", "tpr", "ppv"]].tolist() == pytest.approx([4 / 7, 3 / 4, 3 / 4])


def test_one_group_without_selected_people_is_undefined_and_says_so(ten):
    found = rows(ten, 0.5, INF)
    assert np.isnan(found.loc["men", "ppv"]) and found.loc["men", "ppv_undefined"] == "nobody selected"
    assert found.loc["women", "ppv"] == pytest.approx(2 / 3) and found.loc["women", "ppv_undefined"] == ""
    assert [found.loc["men", f"selection_rate{end}"] for end in ("", "_low", "_high")] == pytest.approx(
        [0, 0, 0.4899], abs=6e-5)
