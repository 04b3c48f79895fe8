from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from toys import make_task

from core.methods.constraint.grid_search import fit
from core.types import BadInput, Rows

HP = {"balance": 0.5, "criterion": "parity", "points": 15, "C": 1.0}


def test_more_weight_on_the_gap_brings_the_groups_together():
    task = make_task(600)
    rows, gaps = task.splits.train, []
    for balance in (0.0, 1.0):
        chosen = fit(task, Rows(index=rows), {**HP, "balance": balance}, 0)(task.x[rows])[:, 1] >= 0.5
        gaps.append(abs(chosen[task.attr[rows] == 0].mean() - chosen[task.attr[rows] == 1].mean()))
    assert gaps[1] < 0.05 < gaps[0]


def test_many_groups_are_refused_in_one_sentence():
    task = make_task(300)
    many = replace(task, attr=np.arange(300) % 6, attr_labels=tuple("abcdef"))
    with pytest.raises(BadInput, match="exponentiated gradient"):
        fit(many, Rows(index=many.splits.train), HP, 0)
