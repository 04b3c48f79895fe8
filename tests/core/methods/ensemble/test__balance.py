from __future__ import annotations

import numpy as np
import pytest
from toys import make_task

from core.engine.looped import fit_rows
from core.methods.ensemble._balance import balanced
from core.types import Rows


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("by", ["class", "group", "none"])
def test_weights_give_every_cell_the_same_mass(by, weighted):
    task = make_task(weighted=weighted)
    rows = fit_rows(task, Rows())
    weight = balanced(task, rows, by)
    assert weight.mean() == pytest.approx(rows.weight.mean())
    if by != "none":
        mass = np.bincount((task.y if by == "class" else task.subgroup)[rows.index], weight)
        assert np.allclose(mass, mass[0])
