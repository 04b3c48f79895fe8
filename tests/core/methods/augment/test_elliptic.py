from __future__ import annotations

import numpy as np
import pytest
import torch
from toys import make_task

from core import registry
from core.methods._random import permutation
from core.methods.augment.elliptic import bridges, middles, normal, prepare
from core.types import Batch

METHOD, NET = registry.method("elliptic"), registry.net("linear")


def setting():
    task = make_task(40)
    x, y = torch.from_numpy(task.x), torch.from_numpy(task.y)
    t = torch.eye(2)[y]
    weights = NET.init(torch.Generator().manual_seed(0), 6, 2, {}, None)
    _, state = METHOD.init(None, {}, torch.Generator().manual_seed(0))
    return weights, Batch(x, y, t, t, t, torch.linspace(0.5, 1.5, len(y)), y), state


def hp(lam=0.5, sigma=0.3, steps=10):
    return {"lam": torch.tensor(lam), "sigma": torch.tensor(sigma), "steps": steps}


def ce(weights, x, t):
    return -(torch.log_softmax(x @ weights["head.w"] + weights["head.b"], -1) * t).sum(-1)


def test_a_bridge_by_hand():
    # feature values 0 and 4: standard deviation 2; at t = 1/4 the noise has size sigma sqrt(3/16) 2
    x, e = torch.tensor([[0.0], [4.0]]), torch.ones(1, 2, 1)
    found = bridges(x, torch.tensor([1, 0]), torch.tensor([0.25]), e, torch.tensor(0.5))
    assert found[0, :, 0].tolist() == pytest.approx([1 + 3**0.5 / 4, 3 + 3**0.5 / 4])


def test_a_bridge_starts_and_ends_at_its_rows_whatever_the_noise():
    x, e = torch.randn(5, 3), torch.randn(2, 5, 3)
    order = torch.tensor([4, 2, 0, 1, 3])
    found = bridges(x, order, torch.tensor([0.0, 1.0]), e, torch.tensor(2.0))
    assert torch.equal(found[0], x) and torch.equal(found[1], x[order])


def test_the_numbers_are_standard_normal_and_new_every_step():
    seed = torch.tensor(7)
    drawn = torch.stack([normal(seed, torch.tensor(c), 20_000, 2) for c in range(2)])
    assert drawn.mean(1).abs().max() < 0.03 and (drawn.var(1) - 1).abs().max() < 0.05
    assert torch.corrcoef(drawn)[0, 1].abs() < 0.03 and drawn.abs().max() < 6


def test_without_noise_it_is_mixup_with_every_share_equally_often():
    weights, batch, state = setting()
    found, after = METHOD.loss(NET, weights, state, batch, hp(lam=1.0, sigma=0.0, steps=4))
    j = permutation(state["seed"], state["counter"], len(batch.y), stream=1)
    parts = []
    for m in (0.125, 0.375, 0.625, 0.875):
        x = (1 - m) * batch.x + m * batch.x[j]
        own, other = ce(weights, x, batch.t) * batch.w, ce(weights, x, batch.t[j]) * batch.w[j]
        parts.append(((1 - m) * own + m * other).mean())
    assert torch.allclose(found, torch.stack(parts).mean()) and int(after["counter"]) == 1


def test_the_share_mixes_the_rows_and_their_bridges():
    weights, batch, state = setting()
    none, half, whole = (METHOD.loss(NET, weights, state, batch, hp(lam=v))[0] for v in (0.0, 0.5, 1.0))
    assert torch.allclose(none, (ce(weights, batch.x, batch.t) * batch.w).mean())
    assert torch.allclose(half, (none + whole) / 2)


@pytest.mark.parametrize("by", ["group", "class"])
def test_balanced_end_points_meet_every_group_equally_often(by):
    task = make_task(weighted=True)
    rows, train = prepare(task, {"balance": by}, None), task.splits.train
    code = task.subgroup[train] if by == "group" else task.y[train]
    cells = len(np.unique(code))
    assert np.bincount(code, rows.prob) == pytest.approx(np.full(cells, 1 / cells))
    assert np.average(rows.weight * task.w[train], weights=rows.prob) == pytest.approx(1)
    assert prepare(task, {"balance": "none"}, None).prob is None


def test_middles_average_the_unit_interval():
    assert middles(10).mean().item() == pytest.approx(0.5) and middles(1).tolist() == [0.5]
