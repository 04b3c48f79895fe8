from __future__ import annotations

import torch
from toys import make_task

from core import registry
from core.types import Batch

METHOD, NET = registry.method("mixup"), registry.net("linear")


def setting():
    task = make_task(60)
    x, y = torch.from_numpy(task.x), torch.from_numpy(task.y)
    t = torch.eye(2)[y]
    weights = NET.init(torch.Generator().manual_seed(0), 6, 2, {}, None)
    return weights, Batch(x, y, t, t, t, torch.ones(len(y)), y)


def test_alpha_zero_is_plain_cross_entropy():
    weights, batch = setting()
    _, state = METHOD.init(None, {}, torch.Generator().manual_seed(0))
    value, _ = METHOD.loss(NET, weights, state, batch, {"alpha": torch.tensor(0.0)})
    plain = torch.nn.functional.cross_entropy(batch.x @ weights["head.w"] + weights["head.b"], batch.y)
    assert torch.allclose(value, plain)


def test_every_step_mixes_anew_and_the_same_step_alike():
    weights, batch = setting()
    _, state = METHOD.init(None, {}, torch.Generator().manual_seed(0))
    hp = {"alpha": torch.tensor(1.0)}
    first, after = METHOD.loss(NET, weights, state, batch, hp)
    again, _ = METHOD.loss(NET, weights, state, batch, hp)
    second, _ = METHOD.loss(NET, weights, after, batch, hp)
    assert first == again and first != second and int(after["counter"]) == 1
