from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from toys import cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.types import Batch

METHOD, NET = registry.method("drw"), registry.net("linear")
LOW = math.log(1 + math.exp(-1.0))  # loss of class 0; that of class 1 is one more


def value(step, w=(1.0, 1.0, 1.0, 1.0), v=(1.0, 3.0)):
    """Three rows of class 0, one of class 1, logits (1, 0), weights from half of 10 iterations on."""
    y = torch.tensor([0, 0, 0, 1])
    t = torch.eye(2)[y]
    weights = {"head.w": torch.zeros(1, 2), "head.b": torch.tensor([1.0, 0.0])}
    state = {"step": torch.tensor(step), "steps": torch.tensor(10.0), "v": torch.tensor(v)}
    hp = {"start": torch.tensor(0.5), "beta": torch.tensor(0.9)}
    batch = Batch(torch.zeros(4, 1), y, t, t, t, torch.tensor(w), y)
    return METHOD.loss(NET, weights, state, batch, hp)[0].item()


def test_plain_before_the_start_and_weighted_after_it_by_hand():
    assert value(4.0) == pytest.approx(LOW + 0.25, rel=1e-5)
    # class 1 has 3 of the 6 parts: LOW + 1/2
    assert value(5.0) == pytest.approx(LOW + 0.5, rel=1e-5)


def test_a_batch_keeps_its_total_weight():
    # weights 2, 0, 0, 2: total 4, shares 1/4 and 3/4 after the class weights
    assert value(9.0, w=(2.0, 0.0, 0.0, 2.0)) == pytest.approx(LOW + 0.75, rel=1e-5)


def test_it_is_erm_until_the_start_and_not_afterwards():
    task, erm = make_task(), registry.method("erm")
    net = registry.net("mlp")
    plain = train_cohort(task, cohort_for(erm, seeds=(0,)), erm, net)
    mine = train_cohort(task, cohort_for(METHOD, seeds=(0,), start=(0.5,), beta=(1.0,)), METHOD, net)
    gap = np.abs(plain.history.loss - mine.history.loss).max((1, 2, 3, 4))
    early = plain.history.iteration <= 30
    assert gap[early].max() < 1e-6 and gap[~early].min() > 1e-3
