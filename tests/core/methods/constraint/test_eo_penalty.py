from __future__ import annotations

import pytest
import torch

from core import registry
from core.types import Batch

METHOD, NET = registry.method("eo_penalty"), registry.net("linear")


def penalty(odds, y, attr, x):
    weights = {"head.w": torch.tensor([[0.0, 1.0]]), "head.b": torch.zeros(2)}
    y, a = torch.tensor(y), torch.eye(2)[torch.tensor(attr)]
    batch = Batch(torch.tensor(x)[:, None], y, torch.eye(2)[y], a, a, torch.ones(len(y)), y)
    at = [
        METHOD.loss(NET, weights, {}, batch, {"lam": torch.tensor(v), "odds": odds, "shape": "squared"})[0]
        for v in (0.0, 1.0)
    ]
    return float(at[1] - at[0])


def test_gaps_within_the_positive_class_count_for_both_and_others_for_equalized_odds_alone():
    gap = float(torch.sigmoid(torch.tensor(2.0))) - 0.5
    positives = ([1, 1], [0, 1], [0.0, 2.0])
    assert penalty("opportunity", *positives) == pytest.approx(gap**2, rel=1e-4)
    assert penalty("equalized", *positives) == pytest.approx(gap**2 / 2, rel=1e-4)
    negatives = ([0, 0], [0, 1], [0.0, 2.0])
    assert penalty("opportunity", *negatives) == 0.0
    assert penalty("equalized", *negatives) == pytest.approx(gap**2 / 2, rel=1e-4)


def test_a_gap_that_the_true_class_explains_is_not_punished():
    assert penalty("equalized", [0, 1], [0, 1], [0.0, 2.0]) == 0.0
