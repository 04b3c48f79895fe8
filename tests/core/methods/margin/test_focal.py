from __future__ import annotations

import pytest
import torch

from core.methods.margin.focal import focal

Z = torch.tensor([[2.0, 0.0], [0.0, 1.0]])
T = torch.tensor([[1.0, 0.0], [1.0, 0.0]])


def test_the_loss_is_the_formula():
    p = torch.softmax(Z, -1)[:, 0]
    assert focal(Z, T, 2.0).tolist() == pytest.approx((-((1 - p) ** 2) * p.log()).tolist(), rel=1e-5)


def test_gamma_zero_is_cross_entropy_and_larger_gamma_fades_easy_rows_faster():
    assert torch.allclose(focal(Z, T, 0.0), torch.nn.functional.cross_entropy(Z, T, reduction="none"))
    assert focal(Z, T, 4.0)[0] / focal(Z, T, 4.0)[1] < focal(Z, T, 1.0)[0] / focal(Z, T, 1.0)[1]


def test_certain_rows_have_finite_slopes():
    z = torch.tensor([[60.0, -60.0], [-60.0, 60.0]], requires_grad=True)
    focal(z, torch.eye(2)[[0, 0]], torch.tensor(0.5)).sum().backward()
    assert torch.isfinite(z.grad).all()
