from __future__ import annotations

import torch

from core.nn.head import cross_entropy, draw_linear, head, weighted_mean


def test_cross_entropy_is_pytorchs_for_hard_and_soft_targets():
    gen = torch.Generator().manual_seed(0)
    z, t = torch.randn(5, 3, generator=gen), torch.softmax(torch.randn(5, 3, generator=gen), -1)
    torch.testing.assert_close(cross_entropy(z, t), torch.nn.functional.cross_entropy(z, t, reduction="none"))


def test_weighted_mean_divides_by_rows_not_by_weights():
    assert weighted_mean(torch.tensor([1.0, 3.0]), torch.tensor([2.0, 2.0])) == 4.0


def test_a_scaled_head_is_a_cosine():
    vectors = torch.tensor([[3.0, 0.0], [0.0, 2.0]])
    weights = {"head.w": vectors, "head.b": torch.zeros(2), "head.scale": torch.tensor(10.0)}
    z = head(weights, torch.tensor([[5.0, 0.0], [1.0, 1.0]]))
    torch.testing.assert_close(z, torch.tensor([[10.0, 0.0], [7.0711, 7.0711]]), atol=1e-4, rtol=0)


def test_drawn_weights_stay_in_pytorchs_bounds():
    w, b = draw_linear(torch.Generator().manual_seed(0), 100, 50)
    assert w.abs().max() <= 0.1 and b.abs().max() <= 0.1 and w.std() > 0.05
