from __future__ import annotations

import numpy as np
from toys import make_task

from core.methods.constraint.exponentiated_gradient import METHOD, fit
from core.types import Rows

HP = {"eps": 0.01, "criterion": "parity", "C": 1.0, "rounds": 20}


def gap_of(share, attr):
    return abs(share[attr == 0].mean() - share[attr == 1].mean())


def test_the_expected_selection_of_the_groups_is_within_the_bound_on_training_rows():
    task = make_task(600)
    rows = task.splits.train
    tight, loose = (fit(task, Rows(index=rows), {**HP, "eps": e}, 0)(task.x[rows])[:, 1] for e in (0.01, 0.5))
    assert gap_of(tight, task.attr[rows]) <= 0.03 < gap_of(loose, task.attr[rows])


def test_probabilities_are_a_mix_and_all_seeds_agree():
    task = make_task(300)
    one, two = (fit(task, Rows(index=task.splits.train), HP, seed)(task.x[:50]) for seed in (0, 7))
    assert np.array_equal(one, two) and np.allclose(one.sum(1), 1) and METHOD.stacked is False
