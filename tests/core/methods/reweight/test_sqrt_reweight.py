from __future__ import annotations

import numpy as np
import pytest
from toys import make_task

from core import registry


def test_weights_fall_with_the_root_of_the_group_size():
    task = make_task()
    cells = task.subgroup[task.splits.train]
    n = np.bincount(cells)
    weight = registry.method("sqrt_reweight").prepare(task, {"by": "group"}, None).weight
    expected = 1 / np.sqrt(n[cells])
    assert weight.mean() == pytest.approx(1) and np.allclose(weight, expected / expected.mean())
