from __future__ import annotations

import numpy as np
import pytest
import torch

from core.methods.constraint.distance_covariance import METHOD, centred, distance_covariance, distances


def slow(x, z):
    """The definition of Szekely and Rizzo by loops."""
    def u(d):
        n = len(d)
        out = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                if i != j:
                    out[i, j] = d[i, j] - d[i].sum() / (n - 2) - d[:, j].sum() / (n - 2) + d.sum() / ((n - 1) * (n - 2))
        return out
    dx, dz = (np.linalg.norm(v[:, None] - v[None], axis=-1) for v in (x, z))
    n = len(x)
    return (u(dx) * u(dz)).sum() / (n * (n - 3))


def test_it_equals_the_definition():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(12, 1)), rng.normal(size=(12, 3))
    found = distance_covariance(torch.tensor(x), torch.tensor(z))
    assert float(found) == pytest.approx(slow(x, z), abs=1e-12)


def test_rows_and_columns_of_the_centred_matrix_sum_to_zero():
    u = centred(distances(torch.randn(9, 2, generator=torch.Generator().manual_seed(1), dtype=torch.float64)))
    assert torch.allclose(u.sum(0), torch.zeros(9, dtype=torch.float64), atol=1e-12) and u.diagonal().abs().max() == 0


def test_it_is_about_zero_on_average_under_independence_and_positive_under_dependence():
    rng = np.random.default_rng(2)
    free = [float(distance_covariance(torch.tensor(rng.normal(size=(40, 1))), torch.tensor(rng.normal(size=(40, 1)))))
            for _ in range(300)]
    assert abs(np.mean(free)) < 3 * np.std(free) / 300**0.5
    x = torch.tensor(rng.normal(size=(200, 1)))
    assert float(distance_covariance(x, x**2)) > 0.01


def test_intersections_are_seen_where_each_attribute_alone_tells_nothing():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    said = torch.tensor((a ^ b)[:, None].astype(float))
    alone = float(distance_covariance(said, torch.tensor(a[:, None].astype(float))))
    both = float(distance_covariance(said, torch.eye(4, dtype=torch.float64)[torch.tensor(2 * a + b)]))
    assert abs(alone) < 0.005 and both > 0.03


def test_equal_predictions_have_a_finite_slope():
    p = torch.full((6, 1), 0.5, requires_grad=True)
    distance_covariance(p, torch.eye(2)[torch.tensor([0, 1, 0, 1, 0, 1])]).backward()
    assert torch.isfinite(p.grad).all()
    assert METHOD.papers == (48,)
