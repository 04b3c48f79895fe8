from __future__ import annotations

from dataclasses import replace

import torch
from toys import cohort_of, pool_of

from core import registry
from core.engine.rows import Batches, stack_hp
from core.engine.stack import draw_method, draw_weights, erm_loss, make_gradient
from core.types import Param


def setting(task, erm, **changes):
    method = replace(erm, params=(Param("eta", 0.1, 0.0, 1.0),), **changes)
    cohort = cohort_of(method, eta=(0.0, 0.5))
    models = list(range(cohort.n_models))
    pool = pool_of(task, method, cohort)
    weights = draw_weights(task, method, registry.net("mlp"), cohort, models)
    batches = Batches(pool, task, method, 32)
    batch = batches.batch(*(part[0] for part in batches.chunk(0, 1)))
    moving, fixed = stack_hp(method, cohort, models, "cpu")
    return method, cohort, models, pool, weights, batches, batch, moving, fixed


def test_models_of_one_seed_start_alike_and_seeds_differ(task, erm):
    *_, weights, _, _, _, _ = setting(task, erm)
    w = weights["layer0.w"]
    assert torch.equal(w[0], w[1]) and not torch.equal(w[0], w[2])


def test_one_backward_pass_gives_every_run_its_own_gradient(task, erm):
    method, _, _, _, weights, batches, batch, moving, fixed = setting(task, erm)
    net = registry.net("mlp")
    leaves = {k: v.clone().requires_grad_() for k, v in weights.items()}
    grads, _ = make_gradient(method, net, fixed, batches.dims)(leaves, {}, batch, moving)
    for run in range(4):
        own = {k: v[run].clone().requires_grad_() for k, v in weights.items()}
        one = type(batch)(*(f[run] for f in batch))
        value, _ = erm_loss(net, own, {}, one, {})
        for name, g in zip(own, torch.autograd.grad(value, list(own.values())), strict=True):
            torch.testing.assert_close(grads[name][run], g, rtol=1e-4, atol=1e-6)
    assert not torch.allclose(grads["layer0.w"][0], grads["layer0.w"][2])


def test_a_methods_own_step_is_mapped_over_runs(task, erm):
    def step(net, loss, weights, state, batch, hp):
        grads = torch.func.grad(lambda w: loss(net, w, state, batch, hp)[0])(weights)
        return {k: g * hp["eta"] for k, g in grads.items()}, {"n": state["n"] + 1}

    method, _, _, _, weights, batches, batch, moving, fixed = setting(task, erm, step=step)
    net = registry.net("mlp")
    gradient = make_gradient(method, net, fixed, batches.dims)
    grads, state = gradient(weights, {"n": torch.zeros(4)}, batch, moving)
    plain = make_gradient(replace(method, step=None), net, fixed, batches.dims)
    reference, _ = plain({k: v.clone().requires_grad_() for k, v in weights.items()}, {}, batch, moving)
    assert (grads["head.w"][0] == 0).all() and state["n"].tolist() == [1, 1, 1, 1]
    torch.testing.assert_close(grads["head.w"][1], 0.5 * reference["head.w"][1], rtol=1e-4, atol=1e-6)


def test_init_gives_parameters_and_state_for_every_run(task, erm):
    def init(info, hp, gen):
        return {"adv.w": torch.randn(2, generator=gen) * hp["eta"]}, {"q": info.subgroup_counts}

    method, cohort, models, pool, weights, *_ = setting(task, erm, init=init)
    weights, state = draw_method(task, method, cohort, models, pool, weights, 10)
    assert weights["adv.w"].shape == (4, 2) and (weights["adv.w"][0] == 0).all()
    assert state["q"].shape == (4, 4) and state["q"].sum() == 4 * len(task.splits.train)


def test_bfloat16_changes_the_arithmetic_but_not_the_direction(task, erm):
    method, _, _, _, weights, batches, batch, moving, fixed = setting(task, erm)
    net = registry.net("mlp")
    full, half = (
        make_gradient(method, net, fixed, batches.dims, precision)(
            {k: v.clone().requires_grad_() for k, v in weights.items()}, {}, batch, moving
        )[0]["head.w"].flatten()
        for precision in ("float32", "bfloat16")
    )
    assert half.dtype == torch.float32 and not torch.equal(full, half)
    assert torch.cosine_similarity(full, half, dim=0) > 0.99
