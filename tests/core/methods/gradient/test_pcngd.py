from __future__ import annotations

import numpy as np
import pytest
import torch
from toys import cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.gradient.pcngd import class_parts, combine, cosine, norms
from core.types import Batch, Budget, Splits, Task

METHOD, NET = registry.method("pcngd"), registry.net("linear")


def batch_of(y, x):
    t = torch.eye(2)[y]
    return Batch(x, y, t, t, t, torch.ones(len(y)), torch.arange(len(y)))


def test_unit_steps_of_two_classes_add_up_whatever_their_lengths():
    g = {"a": torch.tensor([[3.0, 4.0], [0.0, 0.1]]), "b": torch.tensor([[0.0], [0.0]])}
    assert norms(g).tolist() == pytest.approx([5.0, 0.1])
    assert combine(g, torch.ones(2))["a"].tolist() == pytest.approx([0.6, 0.8 + 1.0])
    assert combine({"a": torch.zeros(2, 2)}, torch.ones(2))["a"].tolist() == [0.0, 0.0]


def test_parts_of_the_classes_sum_to_the_loss():
    y = torch.tensor([0, 0, 0, 1])
    batch = batch_of(y, torch.randn(4, 3, generator=torch.Generator().manual_seed(0)))
    weights = {"head.w": torch.ones(3, 2), "head.b": torch.tensor([0.3, 0.0])}
    whole = torch.nn.functional.cross_entropy(batch.x @ weights["head.w"] + weights["head.b"], y)
    parts = class_parts(NET, weights, batch, torch.ones(4))
    assert parts.sum().item() == pytest.approx(whole.item(), rel=1e-6)


def test_a_class_that_is_not_in_the_batch_does_not_move_the_weights():
    y = torch.zeros(4, dtype=torch.long)
    weights = {"head.w": torch.zeros(2, 2), "head.b": torch.zeros(2)}
    hp = {"form": "plain", "rescale": False}
    grads, _ = METHOD.step(NET, None, weights, {}, batch_of(y, torch.ones(4, 2)), hp)
    length = torch.cat([v.flatten() for v in grads.values()]).norm()
    assert length.item() == pytest.approx(1.0, rel=1e-5)


def test_cosine_of_equal_and_of_opposite_gradients():
    g = {"a": torch.tensor([[1.0, 2.0], [3.0, 0.0]])}
    assert cosine(g, {"a": torch.tensor([[1.0, 2.0], [-3.0, 0.0]])}).tolist() == pytest.approx([1.0, -1.0])


def test_form_o_draws_every_class_equally_often():
    task = make_task(400)
    prob = METHOD.prepare(task, {"form": "O"}, np.random.default_rng(0)).prob
    y = task.y[task.splits.train]
    assert prob[y == 0].sum() == pytest.approx(0.5) and prob[y == 1].sum() == pytest.approx(0.5)
    assert METHOD.prepare(task, {"form": "plain"}, np.random.default_rng(0)).prob is None


def two_gaussians(seed: int, n: int = 610) -> Task:
    """60 to 1, class means one apart in each of 10 coordinates."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 61 == 0).astype(np.int64)
    x = (rng.normal(size=(n, 10)) + y[:, None]).astype(np.float32)
    rows = np.arange(n)
    return Task("g", "G", x, y, np.zeros(n, np.int64), np.ones(n, np.float32), ("no", "yes"), ("all",), 0,
                Splits(rows, rows, rows), rows, rows, tuple("abcdefghij"), None, f"gauss{seed}")


def first_minority_losses(name: str, lr: float, **settings) -> np.ndarray:
    budget = Budget(iterations=12, evaluations=12, batch_size=610, optimizer="sgd", lr=(lr,), weight_decay=(0.0,))
    method = registry.method(name)
    cohort = cohort_for(method, seeds=(0, 1, 2, 3), budget=budget, **settings)
    history = train_cohort(two_gaussians(0), cohort, method, registry.net("mlp")).history
    return history.loss[:, 0, :, 1, 0]  # (E, R): training loss of the minority


def test_plain_descent_first_raises_the_minoritys_loss_and_normalised_classes_do_not():
    plain = first_minority_losses("erm", 0.2)
    ours = first_minority_losses("pcngd", 0.05, rescale=(False,))
    assert (plain.max(0) > plain[0] + 0.3).all(), "under plain descent the minority gets worse at first"
    assert (np.diff(ours, axis=0) < 0.02).all() and (ours[-1] < ours[0]).all()
