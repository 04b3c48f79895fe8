from __future__ import annotations

import numpy as np
from toys import make_task

from core import registry


def test_classes_are_balanced_and_groups_are_not_touched_on_purpose():
    task = make_task(classes=3)
    smallest = np.bincount(task.y[task.splits.train]).min()
    rows = registry.method("suby").prepare(task, {}, np.random.default_rng(0))
    assert np.bincount(task.y[rows.index]).tolist() == [smallest] * 3
