from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.robust.lff import generalised, share
from core.types import Batch

METHOD, NET = registry.method("lff"), registry.net("linear")


def test_equal_losses_share_evenly_and_weights_stay_between_zero_and_one():
    assert share(torch.tensor([2.0]), torch.tensor([2.0])).item() == pytest.approx(0.5)
    found = share(torch.tensor([0.0, 9.0]), torch.tensor([5.0, 0.0]))
    assert found.tolist() == pytest.approx([0.0, 1.0])


def test_generalised_cross_entropy_lies_between_cross_entropy_and_one_minus_p():
    z, t = torch.tensor([[2.0, 0.0]]), torch.tensor([[0.0, 1.0]])
    p = torch.softmax(z, -1)[0, 1]
    assert generalised(z, t, 1.0).item() == pytest.approx(1 - p.item())
    assert generalised(z, t, 1e-4).item() == pytest.approx(-p.log().item(), rel=1e-3)
    assert generalised(z, t, 0.7).item() == pytest.approx((1 - p.item() ** 0.7) / 0.7)


def test_the_weight_is_held_fixed_and_each_network_is_moved_by_its_own_loss_alone():
    y = torch.tensor([0, 1, 1])
    t = torch.eye(2)[y]
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    batch = Batch(x, y, t, t, t, torch.ones(3), y)
    weights = {"head.w": torch.tensor([[0.5, -0.2], [0.1, 0.3]]), "head.b": torch.zeros(2),
               "easy.w": torch.tensor([[0.2, 0.1], [-0.4, 0.6]]), "easy.b": torch.zeros(2)}
    grads = torch.func.grad(lambda w: METHOD.loss(NET, w, {}, batch, {"q": torch.tensor(0.7)})[0])(weights)
    own = torch.nn.functional.cross_entropy(x @ weights["head.w"], y, reduction="none")
    easy = torch.nn.functional.cross_entropy(x @ weights["easy.w"], y, reduction="none")
    fixed = 2 * share(easy, own)

    def model(w):
        return (torch.nn.functional.cross_entropy(x @ w, y, reduction="none") * fixed).mean()

    assert torch.allclose(grads["head.w"], torch.func.grad(model)(weights["head.w"]), atol=1e-6)
    biased = torch.func.grad(lambda w: generalised(x @ w, t, 0.7).mean())(weights["easy.w"])
    assert torch.allclose(grads["easy.w"], biased, atol=1e-6)
