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
