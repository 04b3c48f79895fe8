from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from core.methods.robust.cvar_dro import cvar

LOSSES = torch.tensor([4.0, 3.0, 2.0, 1.0])


@pytest.mark.parametrize(("alpha", "value"), [(0.5, 3.5), (0.3, 3.8333), (1.0, 2.5), (0.25, 4.0), (0.01, 4.0)])
def test_known_values(alpha, value):
    assert float(cvar(LOSSES, alpha)) == pytest.approx(value, abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 10), min_size=1, max_size=12), st.floats(0.05, 1.0))
def test_the_value_is_the_maximum_of_the_linear_programme(losses, alpha):
    m = len(losses)
    best = linprog(-np.array(losses), A_eq=np.ones((1, m)), b_eq=[1], bounds=[(0, max(1 / (alpha * m), 1 / m))] * m)
    assert float(cvar(torch.tensor(losses), alpha)) == pytest.approx(-best.fun, abs=1e-3)


def test_the_order_of_rows_does_not_matter():
    assert cvar(LOSSES.flip(0), 0.3) == cvar(LOSSES, 0.3)


def test_the_worst_share_is_of_the_people_that_the_rows_stand_for():
    w = torch.tensor([0.5, 0.5, 1.0, 2.0])  # half of the total weight: the three worst rows
    assert float(cvar(LOSSES, 0.5, w)) == pytest.approx((0.5 * 4 + 0.5 * 3 + 1.0 * 2) / 2)
    assert float(cvar(LOSSES, 1.0, w)) == pytest.approx(float((LOSSES * w).mean()))
    assert float(cvar(LOSSES, 0.01, w)) == pytest.approx(4.0 * float(w.mean()))


def test_a_row_of_weight_two_counts_as_two_rows():
    twice = cvar(torch.tensor([4.0, 3.0, 3.0, 1.0]), 0.4)
    assert float(cvar(torch.tensor([4.0, 3.0, 1.0]), 0.4, torch.tensor([1.0, 2.0, 1.0]))) == pytest.approx(
        float(twice) * 4 / 3
    )
