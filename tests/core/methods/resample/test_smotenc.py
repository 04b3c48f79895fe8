from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import SMOTE, SMOTEN, SMOTENC
from toys import make_task

from core import registry
from core.data.encode import encode_column
from core.methods.resample._imblearn import seed_from
from core.methods.resample.smotenc import category_blocks, from_codes, sampler_for, to_codes
from core.types import BadInput

METHOD = registry.method("smotenc")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def mixed(numbers=2):
    """A task encoded as the data page does: numbers, a word of four levels, one of two, and one with a gap."""
    task, rng = imbalanced(), np.random.default_rng(2)
    work = pd.Series(np.array(["none", "part", "full", "own = boss"])[rng.integers(0, 4, 900)])
    city = pd.Series(np.where(rng.random(900) < 0.3, "north", "south"))
    ill = pd.Series(np.array(["yes", "no", None], dtype=object)[rng.integers(0, 3, 900)])
    columns = {f"n{j}": pd.Series(task.x[:, j]) for j in range(numbers)} | {"work": work, "city": city, "ill": ill}
    blocks = [encode_column(c, task.splits.train, name) for name, c in columns.items()]
    return replace(task, x=np.concatenate([b.values for b in blocks], axis=1),
                   feature_names=tuple(n for b in blocks for n in b.names))  # fmt: skip


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


def test_categories_are_found_by_names_and_values():
    assert category_blocks(mixed()) == [[2, 3, 4, 5], [6], [7, 8, 9]]
    assert category_blocks(imbalanced()) == []
    assert category_blocks(replace(mixed(), image_shape=(1, 2, 5))) == []


def test_columns_of_one_name_that_overlap_are_categories_of_their_own():
    task = mixed()
    x = task.x.copy()
    x[task.splits.train[0], 2:6] = 1
    assert category_blocks(replace(task, x=x))[:4] == [[2], [3], [4], [5]]


def test_codes_and_columns_go_both_ways():
    x, blocks = mixed().x[mixed().splits.train], category_blocks(mixed())
    z, numbers = to_codes(x, blocks)
    assert z.shape == (540, 5) and numbers.tolist() == [0, 1] and np.array_equal(from_codes(z, blocks, numbers), x)


def test_new_rows_have_whole_categories_that_exist():
    task = mixed()
    rows = made(task)
    assert np.isin(rows.x[:, 2:], [0, 1]).all()
    assert (rows.x[:, 2:6].sum(1) == 1).all() and (rows.x[:, 7:10].sum(1) == 1).all()
    n = np.bincount(task.y[task.splits.train])
    assert n[1] + len(rows.y) == n[0] and (rows.y == 1).all()


@pytest.mark.parametrize("by", ["class", "group"])
def test_new_rows_are_those_of_imbalanced_learn(by):
    task = mixed()
    train, blocks = task.splits.train, category_blocks(task)
    cells = task.y if by == "class" else task.subgroup
    z, numbers = to_codes(task.x[train], blocks)
    theirs = SMOTENC([2, 3, 4], random_state=seed_from(np.random.default_rng(0)), k_neighbors=4)
    x, y = theirs.fit_resample(z, cells[train])
    rows = made(task, by=by, k=4)
    assert np.allclose(to_codes(rows.x, blocks)[0], x[len(train) :], atol=1e-6)
    assert np.array_equal(rows.y if by == "class" else rows.y * 2 + rows.attr, y[len(train) :])


def test_without_categories_it_is_smote_and_without_numbers_it_votes_alone():
    task = imbalanced()
    train = task.splits.train
    x, _ = SMOTE(random_state=seed_from(np.random.default_rng(0))).fit_resample(task.x[train], task.y[train])
    assert np.array_equal(made(task).x, x[len(train) :])
    words = made(mixed(numbers=0))
    assert np.isin(words.x, [0, 1]).all() and (words.x[:, :4].sum(1) == 1).all()
    assert isinstance(sampler_for(0, 3), SMOTEN) and isinstance(sampler_for(1, 3), SMOTENC)


def test_rows_without_spread_keep_their_categories():
    """All numbers of the small class are equal: the distance between categories is then 0, their vote still counts."""
    task = mixed()
    x = task.x.copy()
    x[task.y == 1, :2] = 0.5
    rows = made(replace(task, x=x))
    assert (rows.x[:, :2] == 0.5).all() and (rows.x[:, 2:6].sum(1) == 1).all()


def test_too_few_rows_are_told():
    few = mixed()
    few.y[few.splits.train[few.y[few.splits.train] == 1][3:]] = 0
    with pytest.raises(BadInput, match="SMOTE-NC: found 3 training rows of class 1, allowed is at least 6"):
        made(few)
