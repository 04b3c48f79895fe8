from __future__ import annotations

import pytest
import torch
from torch.func import grad

from core import registry
from core.methods.gradient.fish import group_loss
from core.types import Batch

METHOD, NET = registry.method("fish"), registry.net("linear")
WEIGHTS = {"head.w": torch.tensor([[0.5, -0.2], [0.1, 0.3]]), "head.b": torch.zeros(2)}


def a_batch(attr, n_attrs):
    gen = torch.Generator().manual_seed(3)
    y = torch.tensor([0, 1, 1, 0, 1, 0])
    t, a = torch.eye(2)[y], torch.eye(n_attrs)[torch.tensor(attr)]
    return Batch(torch.randn(6, 2, generator=gen), y, t, a, t, torch.ones(6), y)


def walk(batch, inner, counter=0):
    state = {"seed": torch.tensor(5), "counter": torch.tensor(counter)}
    return METHOD.step(NET, None, WEIGHTS, state, batch, {"inner": torch.tensor(inner)})


def slope(batch, weights, group):
    return grad(lambda w: group_loss(NET, w, batch, batch.a[:, group : group + 1]))(weights)


def by_hand(batch, inner, order):
    total, here = {k: 0 * v for k, v in WEIGHTS.items()}, dict(WEIGHTS)
    for group in order:
        g = slope(batch, here, group)
        here = {k: here[k] - inner * g[k] for k in here}
        total = {k: total[k] + g[k] for k in total}
    return {k: v / len(order) for k, v in total.items()}


def test_the_walk_goes_through_the_groups_one_after_the_other_in_both_orders():
    batch = a_batch([0, 0, 1, 1, 1, 0], 2)
    orders = [by_hand(batch, 2.0, order)["head.w"] for order in ((0, 1), (1, 0))]
    seen = set()
    for counter in range(12):
        found, state = walk(batch, 2.0, counter)
        gaps = [(found["head.w"] - o).abs().max().item() for o in orders]
        assert min(gaps) < 1e-6 < max(gaps) and int(state["counter"]) == counter + 1
        seen.add(gaps.index(min(gaps)))
    assert seen == {0, 1}


def test_an_absent_group_is_left_out_and_one_group_is_plain_training():
    found, _ = walk(a_batch([0, 0, 2, 2, 2, 0], 3), 0.0)
    two, _ = walk(a_batch([0, 0, 1, 1, 1, 0], 2), 0.0)
    assert torch.allclose(found["head.w"], two["head.w"], atol=1e-7)
    batch = a_batch([0] * 6, 1)
    plain = grad(lambda w: torch.nn.functional.cross_entropy(batch.x @ w, batch.y))(WEIGHTS["head.w"])
    assert torch.allclose(walk(batch, 2.0)[0]["head.w"], plain, atol=1e-6)


def test_to_second_order_it_climbs_the_inner_product_of_the_two_gradients():
    batch, inner = a_batch([0, 0, 1, 1, 1, 0], 2), 1e-2

    def product(w):
        a, b = slope(batch, w, 0), slope(batch, w, 1)
        return sum((a[k] * b[k]).sum() for k in a)

    expected = grad(product)(WEIGHTS)["head.w"]
    mean = by_hand(batch, 0.0, (0, 1))["head.w"]
    both = (by_hand(batch, inner, (0, 1))["head.w"] + by_hand(batch, inner, (1, 0))["head.w"]) / 2
    # averaged over the orders: mean gradient minus inner / 4 times the slope of the inner product
    assert torch.allclose((mean - both) * 4 / inner, expected, atol=5e-3)
    assert expected.abs().max().item() > 0.02


@pytest.mark.parametrize("inner", [0.0, 0.1])
def test_gradients_have_the_names_and_shapes_of_the_weights(inner):
    found, _ = walk(a_batch([0, 0, 1, 1, 1, 0], 2), inner)
    assert {k: v.shape for k, v in found.items()} == {k: v.shape for k, v in WEIGHTS.items()}
