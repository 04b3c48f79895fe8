from __future__ import annotations

import numpy as np
from toys import make_task

from core import registry


def test_the_subset_has_as_many_rows_of_every_group_as_the_smallest_has():
    task = make_task()
    smallest = np.bincount(task.subgroup[task.splits.train]).min()
    rows = registry.method("subg").prepare(task, {}, np.random.default_rng(0))
    assert np.bincount(task.subgroup[rows.index]).tolist() == [smallest] * 4
    other = registry.method("subg").prepare(task, {}, np.random.default_rng(1))
    assert not np.array_equal(rows.index, other.index)
