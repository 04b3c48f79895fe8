from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from imblearn.under_sampling import TomekLinks
from toys import make_task

from core import registry
from core.types import BadInput, Splits

METHOD = registry.method("tomek_links")


def imbalanced():
    task = make_task(900)
    return replace(task, y=np.where(np.random.default_rng(1).random(900) < 0.8, 0, task.y))


def line(zero, one):
    """Training rows of class 0 and 1 at these places on a line; the last one serves validation and test too."""
    x, y = np.array([*zero, *one, one[-1], one[-1]], np.float32), np.repeat([0, 1], [len(zero), len(one) + 2])
    n, zeros = len(x) - 2, np.zeros(len(x), np.int64)
    return replace(make_task(60), x=x[:, None], y=y, attr=zeros, w=np.ones(len(x), np.float32),
                   splits=Splits(np.arange(n), np.array([n]), np.array([n + 1])))  # fmt: skip


def made(task, **hp):
    settings = {p.name: p.default for p in METHOD.params} | hp
    return METHOD.prepare(task, settings, np.random.default_rng(0))


@pytest.mark.parametrize("by", ["class", "group"])
@pytest.mark.parametrize(("clean", "strategy"), [("larger", "auto"), ("all", "all")])
def test_rows_left_are_those_of_imbalanced_learn(by, clean, strategy):
    task = make_task(900)
    train = task.splits.train
    cells = task.y if by == "class" else task.subgroup
    theirs = TomekLinks(sampling_strategy=strategy)
    theirs.fit_resample(task.x[train], cells[train])
    rows = made(task, by=by, clean=clean)
    assert np.array_equal(rows.index, train[np.sort(theirs.sample_indices_)]) and rows.x is None
    assert 0 < len(rows.index) < len(train)



def test_the_row_of_the_larger_class_in_a_link_goes_by_hand():
    """4.9 and 5 are each other's nearest; 5's other neighbour 8 has 5 as its nearest, which is no link."""
    task = line([0, 1, 2, 4.9], [5, 8, 9])
    assert task.x[made(task).index, 0].tolist() == [0, 1, 2, 5, 8, 9]
    assert task.x[made(task, clean="all").index, 0].tolist() == [0, 1, 2, 8, 9]


def test_without_links_nothing_changes():
    assert made(line([0, 1, 2], [50, 51])).index is None


def test_weights_are_kept_and_average_to_one():
    task = make_task(900, weighted=True)
    rows = made(task)
    assert (task.w[rows.index] * rows.weight).mean() == pytest.approx(1, abs=1e-6) and np.ptp(rows.weight) < 1e-9


def test_a_class_that_would_vanish_is_told():
    with pytest.raises(BadInput, match="Tomek links: found all training rows of class 1 dropped"):
        made(line([0, 1, 2, 4.9], [5]), clean="all")
