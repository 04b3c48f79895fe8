from __future__ import annotations

import numpy as np
import pytest

from core.metrics.scores.bins import binned_error


def test_distances_cancel_within_a_bin_and_add_up_between_bins():
    score, negatives, positives = np.array([0.2, 0.8]), np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    together = binned_error(negatives, positives, score, np.array([[0.1, 0.1]]), bins=2)
    apart = binned_error(negatives, positives, score, np.array([[0.1, 0.9]]), bins=2)
    assert together[0] == 0.0 and apart[0] == pytest.approx(0.8)


def test_a_world_without_weight_is_undefined():
    nothing = np.zeros((2, 3))
    assert np.isnan(binned_error(nothing, nothing, np.array([0.1, 0.2, 0.3]), nothing)).all()
