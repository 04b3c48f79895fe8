from __future__ import annotations

import numpy as np
import torch
from toys import make_task

from core import registry
from core.types import Batch, Info

METHOD = registry.method("balanced_softmax")


def info(counts):
    c = torch.tensor(counts)
    return Info(int(c.sum()), 2, 2, 1, 2, 4, 10, c, c.sum()[None], c)


def test_the_true_prior_makes_flat_logits_optimal():
    _, state = METHOD.init(info([900.0, 100.0]), {}, None)
    shifted = torch.softmax(torch.zeros(2) + state["shift"], -1)
    assert np.allclose(shifted.numpy(), [0.9, 0.1])


def test_equal_counts_change_nothing():
    net = registry.net("linear")
    task = make_task(40)
    weights = net.init(torch.Generator().manual_seed(0), 6, 2, {}, None)
    x, y = torch.from_numpy(task.x), torch.from_numpy(task.y)
    t = torch.eye(2)[y]
    batch = Batch(x, y, t, t, t, torch.ones(len(y)), y)
    _, state = METHOD.init(info([50.0, 50.0]), {}, None)
    value, _ = METHOD.loss(net, weights, state, batch, {})
    plain = torch.nn.functional.cross_entropy(x @ weights["head.w"] + weights["head.b"], y)
    assert torch.allclose(value, plain)
