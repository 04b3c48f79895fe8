from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.figures.learnt import large_groups, learnt_answer, learnt_table
from core.types import History

AT = [10, 20, 30, 40]


def lines(**groups):
    return pd.concat([pd.DataFrame({"group": g, "iteration": AT, "mean": v}) for g, v in groups.items()],
                     ignore_index=True)


def test_a_line_is_learnt_when_it_has_made_nine_tenths_of_its_way():
    found = learnt_table(lines(a=[0.5, 0.9, 0.9, 0.9], b=[0.5, 0.6, 0.7, 0.9]), metric="accuracy").set_index("group")
    assert found["iteration"].to_dict() == {"a": 20, "b": 40}
    assert found.loc["b", ["first", "best", "last"]].tolist() == [0.5, 0.9, 0.9]


def test_a_loss_falls_and_may_rise_again():
    found = learnt_table(lines(a=[1.0, 0.5, 0.4, 0.8]), metric="loss")
    assert found["iteration"][0] == 30 and found["best"][0] == 0.4 and found["last"][0] == 0.8
    assert learnt_table(lines(a=[0.5, 0.2, 0.1, 0.1]), metric="error_rate")["iteration"][0] == 30


def test_a_line_that_never_improves_is_learnt_at_once_and_an_undefined_one_never():
    found = learnt_table(lines(a=[0.5, 0.4, 0.3, 0.2], b=[np.nan] * 4), metric="accuracy")
    assert found["iteration"][0] == 10 and np.isnan(found["iteration"][1])


def test_the_answer_names_who_is_first_and_last_and_where_the_rules_stop():
    found = learnt_table(lines(women=[0.5, 0.9, 0.9, 0.9], men=[0.5, 0.6, 0.7, 0.8]), metric="accuracy")
    marks = pd.DataFrame({"rule": ["average", "worst group"], "iteration": [40, 1000]})
    text = learnt_answer(found, metric="accuracy", name="ERM", marks=marks)
    assert text == ("ERM learns women first (accuracy: nine tenths of the way by iteration 20) and men last (by 40). "
                    "Now it runs from 80.0 % (men) to 90.0 % (women). Stopping by the best validation value would "
                    "pick: average at 40, worst group at 1,000.")


@pytest.mark.parametrize(("table", "words"), [
    (lines(a=[0.5, 0.9, 0.9, 0.9]), "In ERM, accuracy of a has made nine tenths of its way by iteration 20."),
    (lines(everyone=[0.5, 0.9, 0.9, 0.9]), "In ERM, accuracy has made nine tenths of its way by iteration 20."),
    (lines(a=[0.5, 0.9, 0.9, 0.9], b=[0.1, 0.9, 0.9, 0.9]), "all alike"),
    (lines(a=[np.nan] * 4), "Nothing has been measured yet."),
])
def test_one_line_equal_lines_and_no_lines(table, words):
    assert words in learnt_answer(learnt_table(table, metric="accuracy"), metric="accuracy", name="ERM")


def test_groups_of_a_few_rows_are_told_apart():
    n = np.array([[[40.0, 3.0], [30.0, 9.0]]] * 3)
    history = History(np.array([1]), np.zeros((1, 3, 1, 2, 2, 2)), np.zeros((1, 3, 1, 2, 2)),
                      np.zeros(1), np.zeros(1), n, n)
    known = {"split": "val", "min_n": 10, "classes": ("no", "yes"), "attr_labels": ("women", "men")}
    assert large_groups(history, by="attr", **known) == ["women", "men"]
    assert large_groups(history, by="subgroup", **known) == ["no, women", "yes, women"]
