from __future__ import annotations

import pytest

from core.data.sets.abalone19 import DATASET


def test_rows_and_the_thirty_two_positives(opened):
    abalone = opened(DATASET)
    assert abalone.frame.shape == (4_174, 9)
    assert abalone.data.classes == ("other age", "19 rings") and abalone.data.y.sum() == 32
    assert abalone.data.y.mean() == pytest.approx(0.0077, abs=1e-4)


def test_infants_have_two_positives(opened):
    abalone = opened(DATASET)
    assert abalone.sizes == {"male": 1_526, "infant": 1_341, "female": 1_307}
    positives = {g: round(abalone.rates[g] * n) for g, n in abalone.sizes.items()}
    assert positives == {"male": 15, "female": 15, "infant": 2}
