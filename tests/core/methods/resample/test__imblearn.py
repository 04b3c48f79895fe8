from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE
from imblearn.under_sampling import TomekLinks
from toys import make_task

from core.methods.resample._imblearn import (
    Cells,
    as_rows,
    cells_for,
    cut,
    filled,
    grown,
    grown_then_thinned,
    nearest_of_cell,
    need_neighbours,
    need_rows,
    neighbours,
    run,
    seed_from,
    thinned,
)
from core.types import BadInput, Splits


def table(x, y, attr, w=None):
    """A task whose rows are all training rows, but for one copy of the first each for validation and test."""
    task, n = make_task(60), len(y)
    first = [0, 0]
    take = lambda values: np.concatenate([np.asarray(values), np.asarray(values)[first]])  # noqa: E731
    return replace(
        task, x=take(np.asarray(x, np.float32).reshape(n, -1)), y=take(y), attr=take(attr),
        w=take(np.ones(n) if w is None else w).astype(np.float32),
        splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])),
    )  # fmt: skip


class Fails:
    def __init__(self, error):
        self.error = error

    def fit_resample(self, x, y):
        raise self.error


def test_cells_are_numbered_without_gaps_and_named_in_words():
    task = table(np.arange(5), [0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    cells = cells_for(task, "group", "T")
    assert cells.words == ("class 0, a", "class 1, a", "class 1, b")
    assert cells.code.tolist() == [0, 0, 1, 2, 2]
    assert cells.value.tolist() == [0, 2, 3] and cells.n.tolist() == [2, 1, 2]
    assert cells_for(task, "class", "T").n.tolist() == [2, 3]


def test_one_cell_alone_is_refused():
    with pytest.raises(BadInput, match="T: found one group"):
        cells_for(table(np.arange(3), [0, 0, 0], [0, 1, 0]), "class", "T")


def sized(*n):
    code = np.repeat(np.arange(len(n)), n)
    x = np.arange(len(code), dtype=np.float32)[:, None]
    return Cells(x, code, np.array(n), np.arange(len(n)), tuple("abcdef"[: len(n)]), "T")


@pytest.mark.parametrize(("ratio", "wanted"), [(1.0, {1: 10, 2: 10}), (0.5, {2: 5}), (0.2, {}), (0.0, {})])
def test_filled_names_the_cells_below_the_share_of_the_largest(ratio, wanted):
    assert filled(sized(10, 6, 2), ratio) == wanted


@pytest.mark.parametrize(("ratio", "wanted"), [(1.0, {0: 2, 1: 2}), (0.25, {0: 8}), (0.2, {}), (0.0, {})])
def test_cut_names_the_cells_above_the_smallest_over_the_ratio(ratio, wanted):
    assert cut(sized(10, 6, 2), ratio) == wanted


def test_too_few_rows_are_told_in_one_sentence():
    with pytest.raises(BadInput, match="T: found 1 training row of b, allowed is at least 6, one more than"):
        need_rows(sized(9, 1), [1], 6)
    need_rows(sized(9, 1), [0], 9)
    with pytest.raises(BadInput, match="T, neighbours: found 10, allowed is fewer than the 10 training rows"):
        need_neighbours(sized(9, 1), 10)
    need_neighbours(sized(9, 1), 9)


def test_known_troubles_become_sentences_or_nothing_and_others_pass():
    told = BadInput("T", "a", "b", "use c")
    with pytest.raises(BadInput, match="use c"):
        run(sized(2, 2), Fails(RuntimeError("no clusters here")), {"no clusters": told})
    assert run(sized(2, 2), Fails(ValueError("nothing to add")), {"nothing": None}) is None
    with pytest.raises(ValueError, match="other"):
        run(sized(2, 2), Fails(ValueError("other")), {"nothing": None})


def test_nearest_training_row_is_searched_within_the_cell():
    cells = sized(3, 3)  # 0 1 2 | 3 4 5
    assert nearest_of_cell(cells, np.array([[2.9], [2.9], [4.4]]), np.array([0, 1, 1])).tolist() == [2, 3, 4]


def test_kept_rows_keep_their_weight_scaled_to_mean_one():
    task = table(np.arange(4), [0, 0, 1, 1], [0, 0, 0, 1], [1.0, 2.0, 3.0, 2.0])
    rows = as_rows(task, cells_for(task, "class", "T"), np.array([1, 2]))
    assert rows.index.tolist() == [1, 2] and np.allclose(task.w[rows.index] * rows.weight, [0.8, 1.2])


def test_a_new_row_takes_weight_and_group_of_the_nearest_row_of_its_cell():
    task = table([0, 1, 5, 9], [0, 0, 1, 1], [0, 0, 0, 1], [1.0, 1.0, 0.5, 1.5])
    cells = cells_for(task, "class", "T")
    rows = as_rows(task, cells, np.arange(4), np.array([[8.0], [6.0]]), np.array([1, 1]))
    assert rows.y.tolist() == [1, 1] and rows.attr.tolist() == [1, 0] and rows.x.dtype == np.float32
    final = rows.weight * np.concatenate([task.w[rows.index], [1, 1]])
    assert np.allclose(final, np.array([1, 1, 0.5, 1.5, 1.5, 0.5])) and final.mean() == pytest.approx(1)


def test_nothing_changed_is_plain_training_and_a_lost_class_is_refused():
    task = table(np.arange(4), [0, 0, 1, 1], [0, 0, 0, 1])
    cells = cells_for(task, "class", "T")
    assert as_rows(task, cells, np.arange(4)).index is None
    with pytest.raises(BadInput, match="all training rows of class 1 dropped"):
        as_rows(task, cells, np.array([0, 1]))


def test_repeats_are_rows_named_twice():
    task = table(np.arange(3), [0, 0, 1], [0, 0, 0])
    rows = as_rows(task, cells_for(task, "class", "T"), np.array([0, 1, 2, 2]))
    assert rows.index.tolist() == [0, 1, 2, 2] and rows.y is None


def test_growing_and_thinning_agree_with_imbalanced_learn():
    task = make_task(900)
    task = replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))
    train, cells = task.splits.train, cells_for(task, "class", "T")
    x, y = SMOTE(random_state=3).fit_resample(task.x[train], task.y[train])
    rows = grown(task, cells, SMOTE(random_state=3))
    assert rows.index.tolist() == train.tolist() and np.array_equal(rows.x, x[len(train) :])
    links = TomekLinks(sampling_strategy="all")
    links.fit_resample(task.x[train], task.y[train])
    assert np.array_equal(thinned(task, cells, TomekLinks(sampling_strategy="all")).index,
                          train[np.sort(links.sample_indices_)])  # fmt: skip
    both = grown_then_thinned(task, cells, SMOTE(random_state=3), TomekLinks(sampling_strategy="all"))
    x, y = TomekLinks(sampling_strategy="all").fit_resample(x, y)
    mine = np.concatenate([task.x[both.index], both.x])
    assert len(mine) == len(x) and np.array_equal(np.sort(mine, axis=0), np.sort(x, axis=0))
    assert np.bincount(np.concatenate([task.y[both.index], both.y])).tolist() == np.bincount(y).tolist()


def test_the_seed_follows_the_generator_and_neighbours_have_a_default():
    one, same, other = (seed_from(np.random.default_rng(s)) for s in (4, 4, 5))
    assert one == same != other
    assert neighbours(3, 20).check(20) == 20 and neighbours().default == 5
