from __future__ import annotations

import numpy as np
import pytest
from known_runs import CLASSES, GROUPS, make_history, make_run

from core.figures.front import front_table
from core.figures.shares import compared, denominator, effective_rows, share_rows, span
from core.inference import wilson
from core.metrics.measure import parse

TABLE = np.array([[[30.0, 10.0], [5.0, 15.0]], [[8.0, 2.0], [0.0, 10.0]]])  # two groups, rows true


def test_each_rate_is_a_share_of_its_own_rows():
    found = {name: denominator(name, TABLE).tolist() for name in ("accuracy", "tpr", "fpr", "ppv", "for")}
    assert found == {"accuracy": [60, 20], "tpr": [20, 10], "fpr": [40, 10], "ppv": [25, 12], "for": [35, 8]}
    assert denominator("f1", TABLE) is None and share_rows("mcc", TABLE, np.array([60, 20])) is None


def test_weighted_rows_count_as_many_as_are_effective():
    assert share_rows("tpr", TABLE, np.array([30.0, 20.0])).tolist() == [10.0, 10.0]


def test_without_weights_effective_rows_are_the_rows_of_every_partition():
    cells = TABLE.sum(-1).T
    assert effective_rows(TABLE, cells, "attr").tolist() == [60, 20]
    assert effective_rows(TABLE, cells, "subgroup").tolist() == [40, 10, 20, 10]


def test_undefined_groups_and_reductions_without_a_closed_form_are_left_out():
    rate, rows = np.array([0.5, np.nan, 0.5]), np.array([40.0, 10.0, 40.0])
    low, high = compared("worst", rate, rows, True, 0.95)
    assert low == pytest.approx(wilson(20, 40)[0]) and high > 0.5
    assert compared("mean", rate, rows, True, 0.95) is None
    assert compared("gap", np.array([np.nan]), np.array([0.0]), True, 0.95) is None


def test_the_worst_group_of_a_measure_has_an_interval_where_nobody_errs():
    counts = np.array([[[20.0, 0.0], [0.0, 20.0]], [[20.0, 0.0], [0.0, 20.0]]])
    cells = counts.sum(-1).T
    low, high = span(parse("accuracy.worst@subgroup"), counts, cells, cells, 0, 0.95)
    assert 0.8 < low < 0.84 and high == 1.0
    assert span(parse("f1.worst"), counts, cells, cells, 0, 0.95) is None
    assert span(parse("accuracy.worst"), counts * np.nan, cells, cells, 0, 0.95) is None


def test_a_front_without_any_error_still_has_intervals():
    perfect = np.full((1, 3, len(GROUPS), 2), 40.0)
    runs = [make_run(r, "erm", seed=r) for r in range(3)]
    table = front_table(runs, {"c": make_history(perfect, total=40.0)}, split="val", draws=100,
                        classes=CLASSES, attr_labels=GROUPS)
    assert (table["y_low"] < table["y_high"] - 0.01).all()
