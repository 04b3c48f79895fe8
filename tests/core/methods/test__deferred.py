from __future__ import annotations

import pytest
import torch

from core.methods._deferred import class_weights, deferred, weighted
from core.types import Batch


def test_class_weights_at_both_ends_and_for_an_empty_class():
    n = torch.tensor([4000.0, 10.0, 0.0])
    assert class_weights(n, 0.0).tolist() == [1.0, 1.0, 1.0]
    assert class_weights(n, 1.0).tolist() == pytest.approx([1 / 4000, 0.1, 1.0])
    near = class_weights(n, 1 - 1e-9)
    assert (near / near[1]).tolist() == pytest.approx([10 / 4000, 1.0, 10.0], rel=1e-4)


def test_a_batch_keeps_its_total_weight():
    w, v = torch.tensor([0.5, 1.0, 2.5]), torch.tensor([1.0, 7.0, 1.0])
    assert weighted(w, v).tolist() == pytest.approx([0.2, 2.8, 1.0])


def test_the_weights_wait_for_their_share_of_the_iterations():
    y = torch.tensor([0, 0, 0, 1])
    t = torch.eye(2)[y]
    batch = Batch(torch.zeros(4, 1), y, t, t, t, torch.ones(4), y)
    state = {"steps": torch.tensor(10.0), "v": torch.tensor([1.0, 3.0])}
    hp = {"start": torch.tensor(0.5)}
    assert deferred(state | {"step": torch.tensor(4.0)}, batch, hp).tolist() == [1.0] * 4
    assert deferred(state | {"step": torch.tensor(5.0)}, batch, hp).tolist() == pytest.approx([2 / 3] * 3 + [2.0])
