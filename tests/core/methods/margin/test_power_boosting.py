from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch.func import grad, vmap

from core import registry
from core.methods.margin.power_boosting import REACH, power_loss
from core.types import Batch

A = torch.tensor


def losses(z, a):
    """Of a positive and of a negative at log odds z."""
    return power_loss(A([z, z]), A([1.0, 0.0]), A(a)).tolist()


@pytest.mark.parametrize("a", [0.1, 0.5, 0.8])
def test_values_by_hand_and_slopes_at_zero_that_add_up_to_those_of_cross_entropy(a):
    z = 1.5
    scale = 2 * a * (1 - a)
    assert losses(z, a) == pytest.approx([a * math.exp(-(1 - a) * z) / scale, (1 - a) * math.exp(a * z) / scale])
    slope = vmap(grad(lambda z, y: power_loss(z[None], y[None], A(a)).sum()))(torch.zeros(2), A([1.0, 0.0]))
    assert slope.tolist() == pytest.approx([-0.5, 0.5])


@pytest.mark.parametrize("a", [0.2, 0.5, 0.7])
@pytest.mark.parametrize("e", [0.01, 0.3, 0.9])
def test_it_is_proper_the_best_logit_is_the_log_odds_and_the_rest_is_the_power_of_the_chance(a, e):
    z = torch.linspace(-8, 8, 16001, dtype=torch.float64)
    mean = e * power_loss(z, torch.ones_like(z), A(a)) + (1 - e) * power_loss(z, torch.zeros_like(z), A(a))
    assert z[mean.argmin()].item() == pytest.approx(math.log(e / (1 - e)), abs=2e-3)
    assert mean.min().item() == pytest.approx(e**a * (1 - e) ** (1 - a) / (2 * a * (1 - a)), rel=1e-5)


def information(risk, share):
    """Share of the risk without features that N(0, 1) against N(1, 1) removes, for a share of positives."""
    x = np.linspace(-14, 15, 200_001)
    p0, p1 = (np.exp(-((x - m) ** 2) / 2) / math.sqrt(2 * math.pi) for m in (0, 1))
    whole = share * p1 + (1 - share) * p0
    left = np.trapezoid(whole * risk(share * p1 / whole), x)
    return 1 - left / risk(np.array(share))


def bayes_risk(e):
    """What is left of the loss at a = 0.5 and the best z, which is the log odds."""
    z = torch.as_tensor(np.log(e) - np.log1p(-e))
    y = torch.ones_like(z)
    return e * power_loss(z, y, A(0.5)).numpy() + (1 - e) * power_loss(z, 0 * y, A(0.5)).numpy()


@pytest.mark.parametrize("share", [0.5, 0.01, 1e-4])
def test_the_share_of_risk_that_features_remove_does_not_depend_on_rarity(share):
    # at 1e-6 some of the log odds lie beyond the clip
    assert information(bayes_risk, share) == pytest.approx(1 - math.exp(-1 / 8), abs=1e-6)
    assert 1 - math.exp(-1 / 8) == pytest.approx(0.1175, abs=5e-5)


def test_for_cross_entropy_it_shrinks():
    def entropy(e):
        return -e * np.log(e) - (1 - e) * np.log1p(-e)

    found = [information(entropy, share) for share in (0.5, 0.01, 1e-6)]
    assert found == pytest.approx([0.161, 0.088, 0.034], abs=1e-3)


def test_far_out_it_stays_finite_and_has_no_slope():
    assert max(losses(1e6, 0.95) + losses(-1e6, 0.05)) == pytest.approx(math.exp(0.95 * REACH) / 1.9, rel=1e-4)
    assert grad(lambda z: power_loss(z, A([1.0]), A(0.5)).sum())(A([-50.0])).item() == 0


def test_a_mixture_by_hand_and_weights_of_the_data():
    net, method = registry.net("linear"), registry.method("power_boosting")
    weights = {"head.w": torch.zeros(1, 2), "head.b": A([0.0, 2.0])}
    t = torch.eye(2)[A([1, 0])]
    batch = Batch(torch.zeros(2, 1), A([1, 0]), t, t, t, A([1.5, 0.5]), A([0, 1]))
    found = method.loss(net, weights, {}, batch, {"a": A(0.5), "share": A(0.25)})[0].item()
    ce = [math.log1p(math.exp(-2)), math.log1p(math.exp(2))]
    rows = [0.25 * p + 0.75 * c for p, c in zip(losses(2.0, 0.5), ce, strict=True)]
    assert found == pytest.approx((1.5 * rows[0] + 0.5 * rows[1]) / 2, rel=1e-5)
