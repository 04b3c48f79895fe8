from __future__ import annotations

import numpy as np
import torch
from toys import cohort_for, make_task

from core import registry
from core.engine.train import train_cohort
from core.methods.constraint.adversarial import without
from core.types import Budget

METHOD = registry.method("adversarial")


def test_the_projection_leaves_nothing_along_the_other_gradient():
    gen = torch.Generator().manual_seed(0)
    a, b = ({"u": torch.randn(3, generator=gen), "v": torch.randn(2, 2, generator=gen)} for _ in range(2))
    left = without(a, b)
    assert abs(float(sum((left[k] * b[k]).sum() for k in a))) < 1e-5


def test_a_strong_adversary_narrows_the_gap_in_mean_scores():
    task = make_task(1500)
    budget = Budget(iterations=400, evaluations=1, batch_size=128, lr=(0.01,))
    cohort = cohort_for(METHOD, seeds=(0, 1, 2), budget=budget, lam=(0.0, 5.0), projection=(False,))
    scores = train_cohort(task, cohort, METHOD, registry.net("mlp")).test
    means = [scores.score[:, scores.attr == a].mean(1) for a in (0, 1)]
    gap = np.abs(means[1] - means[0]).reshape(3, 2).mean(0)
    assert gap[1] < 0.6 * gap[0]
