from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.margin import ldam
from core.methods.margin.ldam_drw import margins
from core.types import Batch

METHOD, NET = registry.method("ldam_drw"), registry.net("linear")


@pytest.mark.parametrize("counts", [[900.0, 100.0], [16.0, 0.0, 1.0], [5.0, 5.0], [0.0, 7.0]])
def test_margins_are_those_of_ldam(counts):
    assert torch.allclose(margins(torch.tensor(counts), 0.5), ldam.margins(torch.tensor(counts), 0.5))


@pytest.mark.parametrize(("step", "parts"), [(7.0, (0.5, 0.5)), (8.0, (0.25, 0.75))])
def test_margin_throughout_and_weights_from_the_start_on_by_hand(step, parts):
    weights = {"head.w": torch.eye(2), "head.b": torch.zeros(2), "head.scale": torch.tensor(10.0)}
    y = torch.tensor([0, 1])
    t = torch.eye(2)[y]
    x = torch.tensor([[3.0, 4.0], [3.0, 4.0]])  # cosines 0.6 and 0.8
    state = {
        "step": torch.tensor(step),
        "steps": torch.tensor(10.0),
        "margin": torch.tensor([0.1, 0.5]),
        "v": torch.tensor([1.0, 3.0]),
    }
    hp = {"start": torch.tensor(0.8)}
    found = METHOD.loss(NET, weights, state, Batch(x, y, t, t, t, torch.ones(2), y), hp)[0].item()
    each = [
        torch.nn.functional.cross_entropy(torch.tensor([z]), torch.tensor([c])).item()
        for z, c in (([5.0, 8.0], 0), ([6.0, 3.0], 1))
    ]
    assert found == pytest.approx(parts[0] * each[0] + parts[1] * each[1], rel=1e-5)
