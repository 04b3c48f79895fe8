from __future__ import annotations

import numpy as np
import pytest

from core.audit.entropy import between_theil, entropy_index

RNG = np.random.default_rng(3)
COUNTS = RNG.integers(1, 9, (4, 3, 2, 2)).astype(float)  # 4 tables of 3 groups


def benefits(counts):
    """The rows of a table, written out: (benefit, group)."""
    cells = [(1 + p - y, g) for g in range(3) for y in (0, 1) for p in (0, 1) for _ in range(int(counts[g, y, p]))]
    return np.array(cells, dtype=float).T


@pytest.mark.parametrize("k", range(4))
def test_indices_equal_sums_over_rows(k):
    b, group = benefits(COUNTS[k])
    part = b / b.mean()
    assert entropy_index(COUNTS, 2)[k] == pytest.approx(((part**2 - 1) / 2).mean())
    assert entropy_index(COUNTS, 1)[k] == pytest.approx(sum(x * np.log(x) for x in part if x > 0) / len(b))
    own = np.array([b[group == g].mean() for g in group]) / b.mean()
    assert between_theil(COUNTS)[k] == pytest.approx((own * np.log(own)).mean())


def test_between_groups_is_at_most_the_whole_and_zero_for_equal_groups():
    assert (between_theil(COUNTS) <= entropy_index(COUNTS, 1) + 1e-12).all() and (between_theil(COUNTS) >= 0).all()
    alike = np.broadcast_to(COUNTS[:, :1], COUNTS.shape)
    assert between_theil(alike) == pytest.approx(0, abs=1e-12)


def test_everybody_right_is_equal_and_everybody_wrongly_rejected_is_undefined():
    right = np.array([[[5.0, 0.0], [0.0, 2.0]]])
    assert entropy_index(right, 1) == entropy_index(right, 2) == 0
    rejected = np.array([[[0.0, 0.0], [4.0, 0.0]]])
    assert np.isnan(entropy_index(rejected, 1)) and np.isnan(between_theil(rejected))


def test_weights_scale_out():
    assert entropy_index(COUNTS * 2.5, 2) == pytest.approx(entropy_index(COUNTS, 2))
