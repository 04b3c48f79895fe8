from __future__ import annotations

import numpy as np
import pytest
from toys import cohort_for, make_task, pool_of

from core import registry

METHOD = registry.method("resample")


@pytest.mark.parametrize(("by", "shares"), [("group", 4), ("class", 2)])
def test_batches_hold_equal_shares_of_every_cell(by, shares):
    task = make_task()
    pool = pool_of(task, METHOD, cohort_for(METHOD, seeds=(0,), by=(by,)))
    stream = pool.streams[0]
    drawn = stream.positions[stream.take(0, 40_000)]
    cells = (task.subgroup if by == "group" else task.y)[task.splits.train][drawn]
    assert np.abs(np.bincount(cells) / 40_000 - 1 / shares).max() < 0.01
