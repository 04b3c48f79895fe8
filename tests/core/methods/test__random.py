from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import beta, kstest

from core.methods._random import permutation, symmetric_beta, uniform


def test_draws_are_uniform_and_change_with_seed_counter_and_stream():
    seed, counter = torch.tensor(7), torch.tensor(3)
    u = uniform(seed, counter, 20_000)
    assert kstest(u.numpy(), "uniform").pvalue > 0.001
    others = [uniform(torch.tensor(8), counter, 20_000), uniform(seed, torch.tensor(4), 20_000),
              uniform(seed, counter, 20_000, stream=1)]  # fmt: skip
    for other in others:
        assert abs(np.corrcoef(u, other)[0, 1]) < 0.03
    assert torch.equal(u, uniform(seed, counter, 20_000))


def test_stacked_draws_equal_those_of_each_run():
    seeds = torch.tensor([1, 2, 3])
    stacked = torch.func.vmap(lambda s: uniform(s, torch.tensor(5), 10))(seeds)
    assert torch.equal(stacked[1], uniform(torch.tensor(2), torch.tensor(5), 10))


def test_a_permutation_holds_every_number_once():
    p = permutation(torch.tensor(1), torch.tensor(0), 100)
    assert p.sort().values.tolist() == list(range(100)) and p.tolist() != list(range(100))


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5, 1.0, 2.0, 10.0])
def test_beta_quantiles_are_those_of_scipy(alpha):
    u = torch.linspace(0.01, 0.99, 99)
    expected = beta.ppf(u.numpy(), alpha, alpha)
    np.testing.assert_allclose(symmetric_beta(u, alpha).numpy(), expected, atol=0.01)
