from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.optimize import brentq
from scipy.stats import norm
from toys import BUDGET, cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.robust.eqrm import bandwidth, quantile

METHOD, VREX, NET = registry.method("eqrm"), registry.method("vrex"), registry.net("mlp")


def exact(values, alpha):
    """The quantile by SciPy's root finder in double precision."""
    r = np.asarray(values, float)
    h = 1.06 * r.std(ddof=1) * len(r) ** -0.2
    return brentq(lambda q: norm.cdf((q - r) / h).mean() - alpha, r.min() - 9 * h, r.max() + 9 * h, xtol=1e-12)


@pytest.mark.parametrize("alpha", [0.01, 0.3, 0.75, 0.99, 0.999])
def test_the_quantile_is_that_of_the_kernel_estimate(alpha):
    values = [0.2, 0.9, 0.4, 1.7]
    found = quantile(torch.tensor([*values, 50.0]), torch.tensor([1.0, 1, 1, 1, 0]), torch.tensor(alpha))
    assert found.item() == pytest.approx(exact(values, alpha), abs=2e-4)


def test_bandwidth_by_hand():
    # 0 and 2: standard deviation sqrt(2)
    found = bandwidth(torch.tensor([0.0, 2.0, 9.0]), torch.tensor([1.0, 1.0, 0.0])).item()
    assert found == pytest.approx(1.06 * math.sqrt(2) * 2**-0.2, rel=1e-5)


@pytest.mark.parametrize("alpha", [0.3, 0.75, 0.95])
def test_its_slope_is_that_of_finite_differences(alpha):
    values, step = [0.2, 0.9, 0.4], 1e-5
    slope = torch.func.grad(lambda v: quantile(v, torch.ones(3), torch.tensor(alpha)))(torch.tensor(values))
    for k in range(3):
        up, down = ([v + sign * step * (i == k) for i, v in enumerate(values)] for sign in (1, -1))
        assert slope[k].item() == pytest.approx((exact(up, alpha) - exact(down, alpha)) / 2 / step, abs=2e-3)


def test_equal_losses_and_a_single_group_have_unit_slope_in_all():
    for here in (torch.ones(3), torch.tensor([0.0, 1.0, 0.0])):
        slope = torch.func.grad(lambda v, h=here: quantile(v, h, torch.tensor(0.75)))(torch.full((3,), 0.7))
        assert slope.tolist() == pytest.approx((here / here.sum()).tolist(), abs=1e-3)


def trained(method, **settings):
    cohort = cohort_for(method, seeds=(0,), budget=BUDGET, **{k: (v,) for k, v in settings.items()})
    return train_cohort(make_task(), cohort, method, NET).test.score


def test_the_median_of_two_groups_and_an_endless_burn_in_are_vrex_without_penalty():
    plain = trained(VREX, lam=0.0, anneal=0.0)
    assert np.abs(trained(METHOD, alpha=0.5, burnin=0.0) - plain).max() < 1e-3
    assert np.abs(trained(METHOD, alpha=0.9, burnin=1.0) - plain).max() < 1e-6
    assert np.abs(trained(METHOD, alpha=0.9, burnin=0.0) - plain).max() > 1e-2
