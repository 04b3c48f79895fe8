from __future__ import annotations

import numpy as np
from toys import make_task

from core import registry
from core.engine.looped import fit_rows
from core.types import Rows

METHOD = registry.method("gradient_boosting")
HP = {"learning_rate": 0.1, "trees": 30, "leaves": 7, "balance": "none"}


def test_it_beats_the_larger_class_by_far_and_seeds_differ():
    task = make_task(1500, features=12)
    test = task.splits.test
    one, two = (METHOD.fit(task, fit_rows(task, Rows()), HP, seed)(task.x[test]) for seed in (0, 1))
    assert ((one[:, 1] >= 0.5) == task.y[test]).mean() > 0.75
    assert not np.array_equal(one, two) and np.allclose(one.sum(1), 1)


def test_balancing_raises_the_recall_of_a_rare_class():
    from dataclasses import replace

    task = make_task(3000)
    y = np.where(np.random.default_rng(0).random(3000) < 0.85, 0, task.y)
    task = replace(task, y=y)
    test = task.splits.test[task.y[task.splits.test] == 1]
    recall = [
        (METHOD.fit(task, fit_rows(task, Rows()), {**HP, "balance": b}, 0)(task.x[test])[:, 1] >= 0.5).mean()
        for b in ("none", "class")
    ]
    assert recall[1] > recall[0]
