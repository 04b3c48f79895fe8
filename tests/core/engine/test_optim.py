from __future__ import annotations

import pytest
import torch

from core.engine.optim import StackedOptimizer, decays
from core.engine.seeds import torch_generator


def draws(n=6):
    gen = torch_generator("optim")
    weights = {"a.w": torch.randn(3, 4, 2, generator=gen), "a.b": torch.randn(3, 2, generator=gen)}
    grads = [{k: torch.randn(v.shape, generator=gen) for k, v in weights.items()} for _ in range(n)]
    return weights, grads


def stacked(kind, lr, decay, fused=None):
    weights, grads = draws()
    weights = {k: v.clone() for k, v in weights.items()}
    optimizer = StackedOptimizer(weights, torch.tensor(lr), torch.tensor(decay), kind)
    if fused is not None:
        optimizer.fused = fused
    for g in grads:
        optimizer.step(g)
    return weights


def by_torch(kind, run, lr, decay):
    weights, grads = draws()
    own = {k: v[run].clone().requires_grad_() for k, v in weights.items()}
    groups = [{"params": [own["a.w"]], "weight_decay": decay}, {"params": [own["a.b"]], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=lr) if kind == "adamw" else torch.optim.SGD(groups, lr=lr, momentum=0.9)
    for g in grads:
        for k, p in own.items():
            p.grad = g[k][run]
        optimizer.step()
    return own


@pytest.mark.parametrize("kind", ["adamw", "sgd"])
def test_every_run_moves_as_pytorchs_own_optimiser_would_move_it(kind):
    lr, decay = [0.1, 0.01, 0.05], [0.0, 0.1, 0.5]
    mine = stacked(kind, lr, decay)
    for run in range(3):
        theirs = by_torch(kind, run, lr[run], decay[run])
        for name in theirs:
            torch.testing.assert_close(mine[name][run], theirs[name].detach(), rtol=1e-5, atol=1e-6)


def test_fused_and_written_out_adamw_agree():
    one, other = (stacked("adamw", [0.01] * 3, [0.1] * 3, fused) for fused in (True, False))
    for name in one:
        torch.testing.assert_close(one[name], other[name], rtol=1e-5, atol=1e-6)


def test_state_and_restore_go_on_as_if_nothing_had_happened():
    weights, grads = draws()
    straight = {k: v.clone() for k, v in weights.items()}
    a = StackedOptimizer(straight, torch.full((3,), 0.01), torch.full((3,), 0.1), "adamw")
    for g in grads[:3]:
        a.step(g)
    broken = {k: v.clone() for k, v in straight.items()}
    b = StackedOptimizer(broken, torch.full((3,), 0.01), torch.full((3,), 0.1), "adamw")
    b.restore({k: v.clone() for k, v in a.state().items()})
    for g in grads[3:]:
        a.step(g)
        b.step(g)
    assert all(torch.equal(straight[k], broken[k]) for k in straight)


def test_biases_scales_and_adversaries_are_not_decayed():
    assert [decays(n) for n in ("layer0.w", "layer0.b", "head.scale", "adv.w")] == [True, False, False, False]
