"""The shapes of an audit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.types import AuditSpec, Groups, Predictions, Scored


def test_scores_are_sorted_once_and_ties_keep_their_order():
    scored = Scored(np.array([0.5, 0.1, 0.5]), np.array([1, 0, 0]), np.zeros(3, int), 1, np.ones(3))
    assert scored.order.tolist() == [1, 0, 2]
    assert scored.order is scored.order


def test_predictions_count_rows_and_groups():
    groups = Groups(np.array([0, 1, 0]), ("a", "b"), ({"g": "a"}, {"g": "b"}))
    empty = pd.DataFrame(index=range(3))
    rows = Predictions(None, ("no", "yes"), (), groups, empty, empty, None, None, 4, AuditSpec())
    assert (rows.n, rows.n_attrs) == (3, 2)
