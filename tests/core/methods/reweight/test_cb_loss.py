from __future__ import annotations

import numpy as np
import pytest
import torch

from core.methods._cells import row_weights
from core.methods.reweight.cb_loss import effective_weights

SIZES = np.array([4000, 100, 10])


def test_known_weights_of_three_groups():
    w = effective_weights(SIZES, 0.99)
    assert 3 * w / w.sum() == pytest.approx([0.2301, 0.3630, 2.4068], abs=1e-4)


def test_a_large_group_keeps_a_weight_where_float32_arithmetic_gives_one_minus_one():
    assert float(1 - torch.tensor(0.99) ** 4000) == 1.0
    assert effective_weights(SIZES, 0.99)[0] == pytest.approx(0.01, rel=1e-6)


def test_the_limits_are_erm_and_inverse_sizes_and_empty_groups_weigh_nothing():
    assert effective_weights(SIZES, 0.0).tolist() == [1, 1, 1]
    assert effective_weights(SIZES, 1.0) == pytest.approx(1 / SIZES)
    near = effective_weights(SIZES, 1 - 1e-9)
    assert near / near.sum() == pytest.approx((1 / SIZES) / (1 / SIZES).sum(), rel=1e-3)
    assert effective_weights(np.array([5, 0]), 0.9)[1] == 0


def test_the_mean_loss_weight_is_one_over_the_rows_and_a_group_below_one_row_of_weight_stays_finite():
    cells = np.repeat(np.arange(3), SIZES)
    weight = row_weights(effective_weights(SIZES, 0.99)[cells], np.ones(len(cells))).weight
    assert weight.mean() == pytest.approx(1) and weight[-1] / weight[0] == pytest.approx(2.4068 / 0.2301, rel=1e-3)
    assert 1.0 < effective_weights(np.array([0.3, 50.0]), 0.99)[0] < 5.0
