from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import BUDGET, NET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.two_stage.bmft import between, bias, choose, debiased, fit, importance, masked
from core.types import Trained

METHOD = registry.method("bmft")
HP = {p.name: p.default for p in METHOD.params}


def model(task, seed=0):
    gen, sizes = torch.Generator().manual_seed(seed), {"hidden": 8, "depth": 1}
    return NET.init(gen, task.x.shape[1], task.n_classes, sizes, None)


def test_the_bias_is_half_the_sum_of_both_gaps_neither_hiding_the_other():
    p = torch.tensor([0.9, 0.5, 0.2, 0.6])  # positives of both groups, then negatives of both
    z = torch.stack([torch.zeros(4), torch.logit(p)], 1)
    t, a = torch.eye(2)[torch.tensor([1, 1, 0, 0])], torch.eye(2)[torch.tensor([0, 1, 0, 1])]
    assert float(bias(z, t, a, torch.ones(4))) == pytest.approx((0.4 + 0.4) / 2)


def test_classes_count_the_same_in_the_fit():
    z, t = torch.tensor([[0.0, 2.0], [0.0, 1.0], [1.0, 0.0], [3.0, 0.0]]), torch.eye(2)[torch.tensor([1, 0, 0, 0])]
    each = -(torch.log_softmax(z, -1) * t).sum(-1)
    assert float(fit(z, t, torch.ones(4))) == pytest.approx(float((each[0] + each[1:].mean()) / 2))


def test_the_mask_takes_the_percentile_of_all_body_weights_together():
    one = {"a.w": torch.tensor([8.0, 4.0, 0.0]), "b.w": torch.tensor([1.0, 0.0])}
    two = {"a.w": torch.tensor([0.0, 1.0, 2.0]), "b.w": torch.tensor([3.0, 0.0])}
    # scaled: (1, .5, 0) / (0, .5, 1) and (1, 0) / (1, 0) -> ratios 1e10, 1, 0 and 1, 0: the median is 1
    mask = masked(one, two, 0.5)
    assert mask["a.w"].tolist() == [1, 0, 0] and mask["b.w"].tolist() == [0, 0]
    assert masked(one, two, 1.0)["a.w"].sum() == 0 and masked(one, two, 0.0)["b.w"].tolist() == [1, 0]


def test_importance_is_the_mean_square_of_gradients_by_differences():
    task = make_task(80)
    weights = {k: v.double() for k, v in model(task).items()}
    rows = np.arange(64)
    batches = [(torch.from_numpy(task.x[r]).double(), torch.eye(2).double()[task.y[r]],
                torch.eye(2).double()[task.attr[r]], torch.ones(32).double()) for r in (rows[:32], rows[32:])]
    from core.nn.head import logits

    for which, value in (("bias", lambda z, t, a, w: bias(z, t, a, w)), ("fit", lambda z, t, a, w: fit(z, t, w))):
        found = importance(NET, weights, batches, which)
        assert set(found) == {"layer0.w", "layer0.b"}
        squares = []
        for x, t, a, w in batches:
            sides = []
            for sign in (1, -1):
                moved = {**weights, "layer0.w": weights["layer0.w"].clone()}
                moved["layer0.w"][0, 3] += sign * 1e-6
                sides.append(float(value(logits(NET, moved, x), t, a, w)))
            squares.append(((sides[0] - sides[1]) / 2e-6) ** 2)
        assert float(found["layer0.w"][0, 3]) == pytest.approx(np.mean(squares), rel=1e-3, abs=1e-12)


def test_only_masked_weights_move_and_the_bias_falls():
    task = make_task(900)
    budget = replace(BUDGET, iterations=200, evaluations=1)
    erm = registry.method("erm")
    trained = train_cohort(task, cohort_for(erm, seeds=(0,), budget=budget), erm, NET).weights
    weights = {k: v[0] for k, v in trained.items()}
    mask = choose(NET, weights, task, HP, np.random.default_rng(0))
    own = debiased(NET, weights, mask, task, HP, np.random.default_rng(0))
    body = [k for k in weights if k.startswith("layer")]
    assert 0.3 < torch.cat([mask[k].flatten() for k in body]).mean() <= 0.5
    for k in weights:
        still = ~mask[k].bool() if k in mask else torch.ones_like(weights[k]).bool()
        assert torch.equal(own[k][still], weights[k][still])
    from core.nn.head import logits

    r = task.val_fit
    args = torch.eye(2)[task.y[r]], torch.eye(2)[task.attr[r]], torch.ones(len(r))
    before, after = (float(bias(logits(NET, w, torch.from_numpy(task.x[r])), *args)) for w in (weights, own))
    assert after < 0.8 * before


def test_a_random_mask_has_as_many_weights():
    task = make_task()
    weights = model(task)
    mine, other = (choose(NET, weights, task, HP | {"choose": c}, np.random.default_rng(0)) for c in ("bias", "random"))
    total = [sum(float(m.sum()) for m in mask.values()) for mask in (mine, other)]
    assert total[0] == total[1] and any(not torch.equal(mine[k], other[k]) for k in mine)


def test_the_head_starts_from_zero_on_groups_that_count_the_same():
    task = make_task(weighted=True)
    stage = between(task, None, HP, np.random.default_rng(0), Trained(NET, model(task)))
    assert stage.train == "head" and float(stage.weights["head.w"].abs().max()) == 0
    assert np.array_equal(stage.rows.index, task.val_fit)
    mass = np.bincount(task.attr[task.val_fit], stage.rows.prob * stage.rows.weight * task.w[task.val_fit])
    assert np.allclose(mass, 0.5)


def test_a_mask_of_bias_closes_more_of_the_gap_than_a_random_one_and_refitting_the_head_alone_closes_least():
    def gap(seed, **settings):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 4000)
        attr = np.where(rng.random(4000) < 0.85, y, 1 - y)
        x = rng.normal(size=(4000, 8)) + np.outer(y, [1.2, 0.8] + [0] * 6) + np.outer(attr, [0, 0, 2, -1] + [0] * 4)
        task = replace(make_task(4000, 8, seed=seed), x=x.astype(np.float32), y=y, attr=attr, fingerprint=f"b{seed}")
        budget = replace(BUDGET, iterations=800, batch_size=128, evaluations=1)
        test = train_cohort(task, cohort_for(METHOD, seeds=(seed,), budget=budget, **settings), METHOD, NET).tested
        yes = test.score[0] >= 0.5
        rates = np.array([[yes[(test.y == c) & (test.attr == g)].mean() for c in (0, 1)] for g in (0, 1)])
        return np.abs(rates[0] - rates[1]).mean()

    mine = np.mean([gap(s) for s in range(3)])
    lot = np.mean([gap(s, choose=("random",)) for s in range(3)])
    head = np.mean([gap(s, epochs=(0,)) for s in range(3)])
    assert mine < lot < head and mine < 0.75 * head
