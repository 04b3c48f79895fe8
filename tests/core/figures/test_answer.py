from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.figures.answer import Choice, amount, best_run, choose, differences, front_answer, rule_answer
from core.figures.thresholds import rule_table
from core.metrics.measure import parse
from core.types import History, RunRecord, Scores

X, Y = "accuracy", "accuracy.worst@subgroup"


def table(*rows):
    """Rows (id, title, settings, x, y, reference)."""
    frame = pd.DataFrame(rows, columns=["id", "title", "settings", "x", "y", "is_reference"])
    return frame.assign(x_low=frame.x - 0.01, x_high=frame.x + 0.01, y_low=frame.y - 0.03, y_high=frame.y + 0.03)


ERM = ("e", "ERM", "default settings", 0.85, 0.71, True)
DRO = ("d", "Group DRO", "η = 0.1", 0.844, 0.79, False)
BAD = ("b", "Focal", "default settings", 0.84, 0.70, False)


def test_the_setting_is_the_best_on_y_and_the_reference_the_best_on_x():
    rows = table(ERM, ("e2", "ERM", "learning rate = 0.1", 0.80, 0.75, True), DRO, BAD)
    assert choose(rows, x=X, y=Y) == Choice("e", "d")
    assert choose(rows[rows.id != "d"], x=X, y=Y) == Choice("e", "e2")


def test_equal_worst_groups_are_decided_by_the_other_axis():
    assert choose(table(ERM, DRO, ("c", "CVaR", "", 0.846, 0.79, False)), x=X, y=Y).chosen == "c"


def test_lower_is_better_for_gaps():
    rows = table(("e", "ERM", "", 0.85, 0.18, True), ("p", "Penalty", "λ = 1", 0.83, 0.03, False))
    choice = choose(rows, x=X, y="selection_rate.gap")
    assert choice == Choice("e", "p")
    text = front_answer(rows, choice, x=X, y="selection_rate.gap", found={"selection_rate.gap": (-0.15, -0.17, -0.13)})
    assert "lowers the demographic parity gap from 18.0 % to 3.0 % (by 13.0 to 17.0 points)" in text


def test_the_answer_tells_gain_cost_and_whether_something_does_better():
    rows = table(ERM, DRO, BAD)
    found = {Y: (0.08, 0.051, 0.102), X: (-0.006, -0.011, -0.001)}
    text = front_answer(rows, choose(rows, x=X, y=Y), x=X, y=Y, found=found)
    assert text == ("Group DRO (η = 0.1) raises the worst-group accuracy (class × group) from 71.0 % to 79.0 % (by 5.1 "
                    "to 10.2 points) and costs 0.6 points of accuracy (0.1 to 1.1 points); nothing tried does better "
                    "on both.")


def test_the_rows_that_chose_are_named_where_others_report():
    text = front_answer(table(ERM, DRO), Choice("e", "d"), x=X, y=Y, chosen_on="validation rows")
    assert text.startswith("Group DRO (η = 0.1), chosen on validation rows, raises")


def test_thresholds_alone_are_told_where_they_beat_the_choice_on_both():
    rows = table(ERM, DRO)
    line = pd.DataFrame({"x": [0.83, 0.846, 0.848], "y": [0.9, 0.80, 0.795], "label": "one line"})
    text = front_answer(rows, Choice("e", "d"), x=X, y=Y, behind=line)
    assert text.endswith("But the plain model with other thresholds alone, searched for worst-group accuracy (class × "
                         "group) itself, does better: 80.0 % at accuracy 84.6 %, with one line.")
    assert "thresholds alone" not in front_answer(rows, Choice("e", "d"), x=X, y=Y, behind=line[:1])


def test_an_interval_around_zero_is_called_chance():
    rows = table(ERM, DRO)
    text = front_answer(rows, Choice("e", "d"), x=X, y=Y, found={Y: (0.08, -0.01, 0.17)})
    assert text.endswith("so this may be chance.")


def test_without_paired_worlds_the_interval_of_the_value_is_told():
    assert "to 79.0 % (76.0 to 82.0) and costs" in front_answer(table(ERM, DRO), Choice("e", "d"), x=X, y=Y)


def test_what_does_better_on_both_is_named():
    rows = table(ERM, DRO, ("c", "CVaR", "default settings", 0.86, 0.82, False))
    assert "CVaR does better on both" in front_answer(rows, Choice("e", "d"), x=X, y=Y)


def test_chosen_on_validation_but_worse_on_test_is_told_as_no_gain():
    rows = table(ERM, ("d", "Group DRO", "", 0.84, 0.69, False))
    text = front_answer(rows, Choice("e", "d"), x=X, y=Y)
    assert text == "Nothing tried is better than plain training on worst-group accuracy (class × group): 71.0 % " \
                   "(68.0 to 74.0)."


def test_no_reference_asks_for_one_and_nothing_measured_says_so():
    rows = table(DRO)
    assert "Train ERM as well" in front_answer(rows, choose(rows, x=X, y=Y), x=X, y=Y)
    empty = table(("e", "ERM", "", np.nan, np.nan, True))
    assert choose(empty, x=X, y=Y) is None
    assert front_answer(empty, None, x=X, y=Y) == "Nothing has been measured yet."


@pytest.mark.parametrize(("key", "value", "words"), [("accuracy", 0.7123, "71.2 %"), ("mcc", 0.4, "0.40"),
                                                      ("tpr.gap", np.nan, "undefined")])
def test_amounts_are_words(key, value, words):
    assert amount(value, parse(key)) == words


def scores(rng, n=400, seeds=3, quality=1.0):
    y, attr = rng.integers(0, 2, n), rng.integers(0, 2, n)
    score = 1 / (1 + np.exp(-(quality * (2 * y - 1) + rng.normal(size=(seeds, n)))))
    return Scores(score.astype(np.float32), np.full((seeds, 2), 0.5), y, attr, np.ones(n, np.float32), np.arange(n))


def test_equal_scores_differ_by_exactly_nothing(rng):
    one = scores(rng)
    found = differences(one, one, [X, "selection_rate.gap"], 50, rng)
    assert all(value == low == high == 0 for value, low, high in found.values())


def test_a_real_difference_is_found_with_an_interval_that_holds_it(rng):
    weak = scores(np.random.default_rng(1), quality=0.3)
    strong = Scores(scores(np.random.default_rng(1), quality=2.0).score, weak.thresholds, weak.y, weak.attr, weak.w,
                    weak.rows)
    value, low, high = differences(weak, strong, [X], 200, rng)[X]
    by_hand = np.mean((strong.score >= 0.5) == weak.y) - np.mean((weak.score >= 0.5) == weak.y)
    assert value == pytest.approx(by_hand) and 0 < low < value < high


def test_the_best_run_is_found_on_the_last_evaluation_and_diverged_ones_never_are():
    right = np.array([[[8.0, 2.0], [1.0, 9.0]]])
    counts = np.stack([right, right + [[[2, -2], [0, 0]]], np.full((1, 2, 2), np.nan)])
    history = History(np.array([5, 9]), np.broadcast_to(counts, (2, 3, 3, 1, 2, 2)).copy(), np.zeros((2, 3, 3, 2, 1)),
                      np.full(3, 2, np.int8), np.full(3, -1), np.full((3, 2, 1), 10.0), np.full((3, 2, 1), 10.0))
    runs = [RunRecord(f"k{i}", "s", "j", "c", i, "erm", {}, i, "mlp", "finished") for i in range(3)]
    known = {"classes": ("no", "yes"), "attr_labels": ("everyone",)}
    assert best_run(runs, {"c": history}, **known).key == "k1"
    assert best_run(runs, {"c": history}, measure="error_rate", **known).key == "k1"
    assert best_run([], {}, **known) is None and best_run(runs, {}, **known) is None


def rule_of(thresholds, flip=0):
    score, y = np.array([0.1, 0.6, 0.9, 0.2, 0.3, 0.8]), np.array([0, 1, 1, 0, 0, 1 - flip])
    attr = np.array([0, 0, 0, 1, 1, 1])
    return rule_table(score, y, attr, thresholds, attr_labels=("women", "men"), metrics=("accuracy", "selection_rate"))


def test_a_rule_is_told_on_the_rows_that_choose_and_on_those_that_report():
    same = np.array([0.5, 0.5])
    text = rule_answer(rule_of(same), rule_of(same, flip=1), same)
    assert text.startswith("The line is at 0.500 for everybody. On test rows it selects from 33.3 % of men to 66.7 %")
    assert "its accuracy is 83.3 % (" in text and "the selection gap 33.3 points" in text
    assert "On validation rows, which choose, the two are 100.0 %" in text


def test_a_rule_with_different_lines_says_so():
    each = np.array([0.7, np.inf])
    text = rule_answer(rule_of(each), rule_of(each), each)
    assert text.startswith("Each group has its own line. On test rows it selects from 0.0 % of men")
