from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import registry
from core.audit.prepare import make_predictions
from core.audit.score_worlds import MOST_CELLS, Sides, draw_scores
from core.types import AuditSpec

ALL = sorted(registry.metrics("scores"))


def rows_of(n, seed=0, digits=None, weighted=False, persons=False, sizes=(0.7, 0.27, 0.03)):
    rng = np.random.default_rng(seed)
    g = rng.choice(["a", "b", "c"], n, p=sizes)
    score = rng.beta(1.5, 2.0, n)
    y = (rng.random(n) < np.clip(score + 0.15 * (g == "b"), 0, 1)).astype(int)
    table = pd.DataFrame({"y": y, "s": score if digits is None else score.round(digits), "g": g})
    spec = {}
    if weighted:
        table["w"], spec["weight"] = rng.gamma(2.0, 1.0, n) + 0.1, "w"
    if persons:
        table["who"], spec["person"] = rng.integers(0, n // 4, n), "who"
    return make_predictions(table, AuditSpec("y", "1", scores=("s",), threshold=0.5, attributes=("g",), **spec))


def sides_of(rows):
    return Sides.make(rows.models[0].score, rows.y, rows.groups.code, rows.n_attrs,
                      np.ones(rows.n) if rows.w is None else rows.w, rows.models[0].probability)


def test_few_distinct_scores_are_drawn_exactly():
    rows = rows_of(3_000, digits=2)
    made = draw_scores(rows, 0, 50, np.random.default_rng(1), most_rows=0)
    assert made.binned is None and made.how == "bootstrap"
    w = made.drawn.groups.w
    assert (w == np.round(w)).all()
    for g in range(rows.n_attrs):  # groups keep their numbers of rows in every world
        assert (w[:, made.drawn.groups.group == g].sum(-1) == (rows.groups.code == g).sum()).all()
    for name in ("roc_auc", "brier", "average_precision"):  # the cells hold the same table as the rows
        metric = registry.metric(name)
        cells = Sides.make(made.drawn.groups.score, made.drawn.groups.y, made.drawn.groups.group, rows.n_attrs,
                           np.bincount(_cells(rows, made), minlength=w.shape[1]).astype(float), True)
        np.testing.assert_allclose(cells.of(metric), sides_of(rows).of(metric), atol=1e-12)


def _cells(rows, made):
    """The cell of every row, found by its score, label and group."""
    cells = pd.MultiIndex.from_arrays([made.drawn.groups.score.round(9), made.drawn.groups.y, made.drawn.groups.group])
    return cells.get_indexer(pd.MultiIndex.from_arrays([rows.models[0].score.round(9), rows.y, rows.groups.code]))


@pytest.mark.parametrize("kind", ["plain", "weighted", "persons"])
def test_bins_spread_as_rows_drawn_one_by_one_do(kind):
    rows = rows_of(12_000, weighted=kind == "weighted", persons=kind == "persons")
    by_row = draw_scores(rows, 0, 400, np.random.default_rng(2), most_rows=rows.n)
    by_cell = draw_scores(rows, 0, 400, np.random.default_rng(3), most_rows=0)
    assert by_row.binned is None and by_cell.binned is not None and "bins" in by_cell.how
    for name in ALL:
        metric = registry.metric(name)
        value = sides_of(rows).of(metric)
        one, two = by_row.of(metric, value), by_cell.of(metric, value)
        np.testing.assert_allclose(two.std(0), one.std(0), rtol=0.25, atol=2e-4, err_msg=name)  # 400 draws: s.e. 5 %
        centre = np.abs(two.mean(0) - one.mean(0)) / np.maximum(one.std(0), 1e-4)
        assert np.nanmax(centre) < 0.5 and np.isfinite(centre[:-1]).all(), (name, centre)


def test_worlds_stay_inside_the_bounds_of_the_metric_and_bins_are_few():
    rows = rows_of(60_000)
    made = draw_scores(rows, 0, 1_000, np.random.default_rng(4))
    d, k = made.drawn.groups.w.shape
    assert d >= 100 and d * k <= 5_000_000 * 1.01 and k <= 1.6 * MOST_CELLS
    for name in ALL:
        metric = registry.metric(name)
        worlds = made.of(metric, sides_of(rows).of(metric))
        low, high = metric.bounds
        assert np.nanmin(worlds) >= low and np.nanmax(worlds) <= high


def test_weights_of_a_cell_vary_as_those_of_rows_drawn_into_it():
    rows = rows_of(20_000, weighted=True)
    made = draw_scores(rows, 0, 2_000, np.random.default_rng(5), most_rows=0)
    total = made.drawn.groups.w[:, made.drawn.groups.group == 0].sum(-1)
    w = rows.w[rows.groups.code == 0]
    assert total.mean() == pytest.approx(w.sum(), rel=4 * w.std() / w.sum() * np.sqrt(len(w) / len(total)))
    assert total.std() == pytest.approx(w.std() * np.sqrt(len(w)), rel=0.15)


def test_the_largest_of_long_tailed_scores_keep_their_own_values():
    rng = np.random.default_rng(6)
    score = np.exp(4 * rng.normal(size=20_000))
    table = pd.DataFrame({"y": rng.integers(0, 2, 20_000), "s": score, "g": "a"})
    rows = make_predictions(table, AuditSpec("y", "1", scores=("s",), threshold=1.0, score_kind="points",
                                             attributes=("g",)))
    made = draw_scores(rows, 0, 100, rng, most_rows=0)
    assert made.binned is not None
    np.testing.assert_allclose(np.unique(made.drawn.groups.score)[-3:], np.sort(score)[-3:])
