from __future__ import annotations

import numpy as np
import pytest

from core.metrics.cells import cells, divide, hits
from core.types import BadInput


def test_division_by_zero_is_undefined_not_zero():
    found = divide(np.array([0.0, 1.0, 1.0, np.nan]), np.array([0.0, 0.0, 4.0, 2.0]))
    assert np.isnan(found[[0, 1, 3]]).all() and found[2] == 0.25


def test_cells_are_true_rows_and_predicted_columns():
    assert [float(c) for c in cells(np.array([[1.0, 2.0], [3.0, 4.0]]))] == [1, 2, 3, 4]


def test_several_classes_have_no_four_cells():
    with pytest.raises(BadInput, match="3 classes"):
        cells(np.zeros((3, 3)))


def test_hits_are_the_diagonal():
    assert hits(np.arange(9.0).reshape(3, 3)) == 12
