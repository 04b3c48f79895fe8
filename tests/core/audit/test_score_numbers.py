from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from core.audit.prepare import make_predictions
from core.audit.score_numbers import score_numbers
from core.inference import auc_interval
from core.types import AuditSpec
from tests.core.audit.test_score_worlds import rows_of


def test_values_are_those_of_all_rows_and_areas_have_delongs_interval():
    rows = rows_of(30_000)
    found = {m.metric.name: m for m in score_numbers(rows, 0, 300, np.random.default_rng(0))}
    y, score = rows.y, rows.models[0].score
    for name, of in (("roc_auc", roc_auc_score), ("brier", brier_score_loss),
                     ("average_precision", average_precision_score)):
        expected = [of(y[rows.groups.code == g], score[rows.groups.code == g]) for g in range(3)] + [of(y, score)]
        np.testing.assert_allclose(found[name].value, expected, atol=1e-9)
    area = found["roc_auc"]
    assert area.how == "DeLong" and area.drawn.startswith("bootstrap (scores in")
    assert (area.low[-1], area.high[-1]) == pytest.approx(auc_interval(score, y, np.ones(rows.n), 0.95)[1:])
    for m in found.values():
        there = np.isfinite(m.value)
        assert there[:-1].all() and (np.isfinite(m.low) == there).all(), "a background of everyone is nobody"
        low, value, high = m.low[there], m.value[there], m.high[there]
        assert (low <= value).all() and (value <= high).all() and (high > low).all(), m.metric.name
        assert m.n.tolist() == [*np.bincount(rows.groups.code), rows.n]


def test_persons_are_drawn_whole():
    plain, persons = rows_of(12_000), rows_of(12_000, persons=True)
    one = {m.metric.name: m for m in score_numbers(plain, 0, 300, np.random.default_rng(0))}
    two = {m.metric.name: m for m in score_numbers(persons, 0, 300, np.random.default_rng(0))}
    assert two["roc_auc"].how.startswith("bootstrap of persons") and one["roc_auc"].how == "DeLong"
    width = [(m["mean_score"].high - m["mean_score"].low)[-1] for m in (one, two)]
    assert width[1] == pytest.approx(width[0], rel=0.25), "rows of these persons are independent"


def test_weighted_rows_count_by_their_effective_number():
    rows = rows_of(12_000, weighted=True)
    found = score_numbers(rows, 0, 100, np.random.default_rng(0))[0]
    w = rows.w
    assert found.n[-1] == pytest.approx(w.sum() ** 2 / (w**2).sum())


def test_without_scores_or_labels_there_are_no_numbers():
    table = pd.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0], "s": [0.1, 0.9, 0.3], "g": ["a", "a", "b"]})
    said = make_predictions(table, AuditSpec("y", "1", ("p",), attributes=("g",)))
    unlabelled = make_predictions(table, AuditSpec("", "", scores=("s",), threshold=0.5, attributes=("g",)))
    for rows in (said, unlabelled):
        assert score_numbers(rows, 0, 100, np.random.default_rng(0)) == []
