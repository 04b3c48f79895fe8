"""Trained runs become predictions to audit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.audit.trained import from_scores
from core.types import Dataset, Groups, Roles, Scores

GROUPS = Groups(np.array([0, 1, 0, 1, 1]), ("women", "men"), ({"sex": "women"}, {"sex": "men"}))


def dataset(classes=("no", "yes"), key=None):
    frame = pd.DataFrame({"age": [20, 30, 40, 50, 60], "sex": ["w", "m", "w", "m", None]})
    roles = Roles("label", "yes", ("sex",))
    return Dataset("toy", "Toy", frame, np.array([0, 1, 1, 0, 1]), classes, frame[["sex"]], None, key, None, roles, "f")


def scores(score, thresholds, rows=(4, 2, 0)):
    at = np.array(rows)
    return Scores(np.asarray(score, np.float32), np.asarray(thresholds, float), dataset().y[at], GROUPS.code[at],
                  np.array([1.0, 2.0, 0.5], np.float32), at)


def test_rows_follow_the_scores_and_each_group_keeps_its_threshold():
    found = from_scores(dataset(key=np.array([7, 7, 8, 8, 9])), GROUPS,
                        scores([[0.6, 0.4, 0.3]], [[0.35, 0.7]]), ["ERM, seed 0"])
    assert found.y.tolist() == [1, 1, 0] and found.groups.code.tolist() == [1, 0, 0]
    assert found.models[0].pred.tolist() == [0, 1, 0] and found.models[0].threshold is None
    assert found.features["age"].tolist() == [60, 40, 20] and "sex" not in found.features
    assert found.attributes["sex"].tolist() == ["men", "women", "women"]
    assert found.person.tolist() == [9, 8, 7] and found.w is None


def test_one_threshold_for_all_is_told_and_weights_count_where_asked():
    found = from_scores(dataset(), GROUPS, scores([[0.6, 0.4, 0.3]], [[0.4, 0.4]]), ["ERM"], weighted=True)
    assert found.models[0].threshold == pytest.approx(0.4) and found.models[0].pred.tolist() == [1, 1, 0]
    assert found.w.tolist() == [1.0, 2.0, 0.5]


def test_several_classes_take_the_largest_score_and_diverged_runs_are_left_out():
    score = np.full((2, 3, 3), 0.2)
    score[0, :, 2] = 0.6
    score[1] = np.nan
    found = from_scores(dataset(("a", "b", "c")), GROUPS, scores(score, np.full((2, 2), np.nan)), ["good", "bad"])
    assert [m.name for m in found.models] == ["good"] and found.models[0].pred.tolist() == [2, 2, 2]
    assert found.models[0].score is None and found.notes == ("bad diverged and is left out.",)
