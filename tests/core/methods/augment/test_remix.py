from __future__ import annotations

import pytest
import torch
from toys import make_task

from core import registry
from core.methods._random import permutation, symmetric_beta, uniform
from core.methods.augment.remix import label_share
from core.types import Batch

METHOD, NET = registry.method("remix"), registry.net("linear")
OWN, OTHER = torch.tensor([300.0, 100.0, 100.0, 299.0, 100.0]), torch.tensor([100.0, 300.0, 100.0, 100.0, 299.0])


@pytest.mark.parametrize(("m", "expected"), [
    (0.4, [0.0, 0.4, 0.4, 0.4, 0.4]),  # the rows of a class three times as large give their label away
    (0.6, [0.6, 1.0, 0.6, 0.6, 0.6]),  # those of a class a third as large keep all of it
    (0.5, [0.5, 0.5, 0.5, 0.5, 0.5]),  # both shares must lie below one half
])  # fmt: skip
def test_the_label_goes_to_the_rarer_class_of_a_lopsided_pair(m, expected):
    assert label_share(torch.tensor(m), OWN, OTHER, 3.0, 0.5).tolist() == pytest.approx(expected)


def test_swapping_the_rows_of_a_pair_swaps_the_shares():
    for m in (0.1, 0.45, 0.8):
        one = label_share(torch.tensor(m), OWN, OTHER, 3.0, 0.7)
        two = label_share(torch.tensor(1 - m), OTHER, OWN, 3.0, 0.7)
        assert torch.allclose(one, 1 - two)


def test_tau_zero_never_moves_a_label():
    assert label_share(torch.tensor(1.0), OWN, OTHER, 1.0, 0.0).tolist() == [1.0] * 5


def test_loss_by_hand_and_the_counter_moves_on():
    task = make_task(60)
    x, y = torch.from_numpy(task.x), torch.from_numpy(task.y)
    t = torch.eye(2)[y]
    weights = NET.init(torch.Generator().manual_seed(0), 6, 2, {}, None)
    state = {"seed": torch.tensor(7), "counter": torch.tensor(2), "n": torch.tensor([90.0, 10.0])}
    hp = {"alpha": torch.tensor(1.0), "kappa": torch.tensor(3.0), "tau": torch.tensor(0.5)}
    found, after = METHOD.loss(NET, weights, state, Batch(x, y, t, t, t, torch.ones(60), y), hp)
    m = symmetric_beta(uniform(state["seed"], state["counter"], 1), 1.0)[0]
    m, j = torch.maximum(m, 1 - m), permutation(state["seed"], state["counter"], 60, stream=1)
    z = (m * x + (1 - m) * x[j]) @ weights["head.w"] + weights["head.b"]
    expected = 0.0
    for i in range(60):
        r = 1.0 if y[i] == 1 and y[j[i]] == 0 else m
        both = torch.nn.functional.cross_entropy(z[[i, i]], torch.stack([y[i], y[j[i]]]), reduction="none")
        expected = expected + (r * both[0] + (1 - r) * both[1]) / 60
    assert found.item() == pytest.approx(float(expected), rel=1e-4) and int(after["counter"]) == 3
