from __future__ import annotations

import numpy as np
import pytest
from toys import make_task

from core import registry

METHOD = registry.method("reweight")


@pytest.mark.parametrize("by", ["group", "class"])
def test_every_cell_weighs_the_same_together(by):
    task = make_task()
    rows = task.splits.train
    weight = METHOD.prepare(task, {"by": by}, None).weight
    cells = (task.subgroup if by == "group" else task.y)[rows]
    mass = np.bincount(cells, weight)
    assert weight.mean() == pytest.approx(1) and np.allclose(mass, mass[0])


def test_sizes_ninety_and_ten_weigh_as_computed_by_hand_after_scaling_to_mean_one():
    from dataclasses import replace

    task = make_task(200)
    rows = task.splits.train[:100]
    y = task.y.copy()
    y[rows] = np.repeat([0, 1], [90, 10])
    task = replace(task, y=y, splits=task.splits._replace(train=rows))
    weight = METHOD.prepare(task, {"by": "class"}, None).weight
    assert weight[0] == pytest.approx(0.2 / 0.36) and weight[-1] == pytest.approx(1.8 / 0.36)
