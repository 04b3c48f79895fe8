from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.gradient.sam import ascent
from core.types import Batch

METHOD = registry.method("sam")


def test_the_displacement_has_length_rho_over_all_weights_together():
    away = ascent({"a": torch.tensor([3.0]), "b": torch.tensor([[4.0]])}, 2.0)
    assert away["a"].item() == pytest.approx(1.2) and away["b"].item() == pytest.approx(1.6)
    assert ascent({"a": torch.zeros(2)}, 2.0)["a"].tolist() == [0.0, 0.0]


def test_the_step_is_the_gradient_at_the_displaced_weights():
    def loss(net, weights, state, batch, hp):
        return (weights["w"] ** 4).sum(), state

    grads, _ = METHOD.step(None, loss, {"w": torch.tensor([1.0])}, {}, Batch(*[None] * 7), {"rho": torch.tensor(0.5)})
    assert grads["w"].item() == pytest.approx(4 * 1.5**3, rel=1e-6)
