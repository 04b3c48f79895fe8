from __future__ import annotations

import pytest
import torch

from core import registry
from core.methods.constraint.road import closed_form, even
from core.types import Batch, Info

METHOD, NET = registry.method("road"), registry.net("linear")
A = torch.eye(2)[torch.tensor([0, 0, 0, 1, 1])]


def test_weights_have_mean_one_within_every_group_and_grow_where_the_adversary_is_right():
    ce = torch.tensor([0.1, 0.5, 2.0, 0.3, 0.3])
    r = closed_form(ce, A, 0.3)
    assert (r @ A / A.sum(0)).tolist() == pytest.approx([1.0, 1.0]) and (r >= 0).all()
    assert r[0] > r[1] > r[2] and r[3].item() == pytest.approx(1.0)


def test_a_large_tau_reproduces_uniform_weights_and_a_small_one_stays_finite():
    ce = torch.tensor([0.1, 0.5, 90.0, 0.3, 0.4])
    assert closed_form(ce, A, 1e6).tolist() == pytest.approx([1.0] * 5, abs=1e-3)
    assert torch.isfinite(closed_form(ce, A, 0.01)).all()


def test_scaling_within_groups_only_changes_the_scale():
    r = even(torch.tensor([1.0, 2.0, 3.0, 10.0, 30.0]), A)
    assert r.tolist() == pytest.approx([0.5, 1.0, 1.5, 0.5, 1.5])


@pytest.mark.parametrize("form", ["closed", "network"])
def test_the_weights_network_is_pushed_towards_what_the_adversary_guesses_right(form):
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(5, 3, generator=gen)
    y = torch.tensor([0, 1, 0, 1, 1])
    t = torch.eye(2)[y]
    batch = Batch(x, y, t, A, torch.eye(4)[torch.tensor([0, 2, 0, 3, 3])], torch.ones(5), y)
    hp = {"lam": torch.tensor(1.0), "tau": torch.tensor(0.3), "form": form, "target": "parity"}
    info = Info(5, 3, 2, 2, 3, 5, 1, t.sum(0), A.sum(0), torch.ones(4))
    params, state = METHOD.init(info, hp, gen)
    weights = {"head.w": torch.randn(3, 2, generator=gen), "head.b": torch.zeros(2), **params}

    def loss(net, w, state, batch, hp):
        return torch.nn.functional.cross_entropy(batch.x @ w["head.w"] + w["head.b"], batch.y), state

    grads, _ = METHOD.step(NET, loss, weights, state, batch, hp)
    assert grads.keys() == weights.keys() and all(torch.isfinite(g).all() for g in grads.values())
    assert any(k.startswith("rob.") for k in grads) == (form == "network")
    free = {**hp, "lam": torch.tensor(0.0)}
    plain = METHOD.step(NET, loss, weights, state, batch, free)[0]["head.w"]
    want = torch.func.grad(lambda w: loss(NET, {**weights, "head.w": w}, state, batch, hp)[0])(weights["head.w"])
    assert torch.allclose(plain, want) and not torch.allclose(grads["head.w"], want)
