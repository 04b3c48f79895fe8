"""The exact case: y = b_g x with b = (1, 3), Var x = 1, start at the prediction 0; risks (b - b_g)^2 + noise_g."""

from __future__ import annotations

import pytest
import torch

from core import registry
from core.checks.method import a_batch, a_model, toy
from core.methods._minimax import update
from core.methods.robust._bargaining import Table, deal
from core.methods.robust.minimax_regret import regrets
from core.methods.robust.nash_bargaining import say
from core.methods.robust.relative_improvement import missed

SLOPES, HERE = torch.tensor([1.0, 3.0]), torch.ones(2)


def table_at(b, noise, scale=(1.0, 1.0)) -> Table:
    noise, scale = torch.tensor(noise), torch.tensor(scale)
    return Table(scale * ((b - SLOPES) ** 2 + noise), HERE, scale * (SLOPES**2 + noise), scale * noise)


def solve(worse, noise=(0.0, 0.0), scale=(1.0, 1.0), relative=False, steps=6000) -> float:
    """The average slope b of descent on the weighted risks against the growing weights of `worse`."""
    b, q, total = torch.tensor(0.5), torch.tensor([0.5, 0.5]), 0.0
    for step in range(steps):
        b.requires_grad_()
        table = table_at(b, noise, scale)
        q = update(q, worse(table).detach(), HERE, 0.02)
        share = q / table.room if relative else q
        slope = torch.autograd.grad(((share / share.sum()).detach() * table.risk).sum(), b)[0]
        b = (b - 0.02 * slope).detach()
        total += b.item() * (step >= steps // 2)
    return total / (steps - steps // 2)


def test_all_gain_three_quarters_of_what_they_could():
    b = solve(missed, relative=True)
    assert b == pytest.approx(1.5, abs=0.01)
    assert (1 - missed(table_at(torch.tensor(1.5), (0.0, 0.0)))).tolist() == pytest.approx([0.75, 0.75])


def test_noise_and_scale_of_one_groups_loss_change_nothing():
    assert solve(missed, noise=(4.0, 0.0), relative=True) == pytest.approx(1.5, abs=0.01)
    assert solve(missed, scale=(7.0, 1.0), relative=True) == pytest.approx(1.5, abs=0.01)


def test_regret_halves_the_way_and_leaves_one_group_with_nothing():
    assert solve(regrets) == pytest.approx(2.0, abs=0.01)
    assert (1 - missed(table_at(torch.tensor(2.0), (0.0, 0.0)))).tolist() == pytest.approx([0.0, 8 / 9])
    assert solve(regrets, noise=(4.0, 0.0)) == pytest.approx(2.0, abs=0.01)


def test_with_noise_the_worst_loss_serves_the_noisy_group_alone():
    assert solve(lambda table: table.risk, noise=(4.0, 0.0)) == pytest.approx(1.0, abs=0.02)


def test_the_product_of_gains_is_largest_at_three_minus_the_root_of_three():
    b = torch.tensor(0.5)
    for _ in range(3000):
        b.requires_grad_()
        table = table_at(b, (0.0, 0.0))
        share = say(table.start, table.risk, HERE)
        b = (b - 0.02 * torch.autograd.grad(((share / share.sum()).detach() * table.risk).sum(), b)[0]).detach()
    assert b.item() == pytest.approx(3 - 3**0.5, abs=1e-3)


def test_say_stays_equal_while_waiting_and_moves_to_who_missed_more():
    method, net = registry.method("relative_improvement"), registry.net("mlp")
    weights, state, numbers, words = a_model(method, toy(), 0)
    batch = a_batch(method, toy())
    hp = {**words, **numbers, "wait": torch.tensor(1.0), "eta": torch.tensor(0.5)}
    assert method.loss(net, weights, state, batch, hp)[1]["q"].tolist() == [0.5, 0.5]
    q = method.loss(net, weights, state, batch, {**hp, "wait": torch.tensor(0.0)})[1]["q"]
    table, _, _ = deal(net, weights, state, batch)
    assert (q[0] > q[1]) == (missed(table)[0] > missed(table)[1]) and abs(q[0] - q[1]) > 1e-3
