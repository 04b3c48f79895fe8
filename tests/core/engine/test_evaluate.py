from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from toys import make_task

from core import registry
from core.engine import evaluate
from core.engine.evaluate import count, count_rule, make_parts, part_sizes, probabilities, stacked_logits, train_sample
from core.engine.seeds import torch_generator


def test_counts_are_the_weighted_confusion_of_every_group(erm):
    task = make_task(300, weighted=True)
    part = make_parts(task, erm, "cpu")[2]
    gen = torch_generator("counts")
    z = torch.randn(3, len(part.rows), 2, generator=gen)
    counts, loss = count(z, part, 2, 2)
    predicted = z.argmax(-1).numpy()
    y, attr, w = task.y[part.rows], task.attr[part.rows], task.w[part.rows].astype(np.float64)
    for a in range(2):
        for t in range(2):
            for p in range(2):
                cell = (attr == a) & (y == t)
                assert np.isclose(counts[1, a, t, p], w[cell & (predicted[1] == p)].sum())
    ce = torch.nn.functional.cross_entropy(z[1], part.y, reduction="none").numpy()
    cell = (attr == 1) & (y == 0)
    assert np.isclose(loss[1, 0, 1], np.average(ce[cell], weights=w[cell]), rtol=1e-5)


def test_an_empty_cell_has_no_loss_and_counts_nothing(erm):
    task = make_task(300)
    task = replace(task, attr=np.where(task.y == 1, 0, task.attr))
    part = make_parts(task, erm, "cpu")[2]
    counts, loss = count(torch.zeros(1, len(part.rows), 2), part, 2, 2)
    assert counts[0, 1, 1].sum() == 0 and np.isnan(loss[0, 1, 1]) and not np.isnan(loss[0, 0, 1])


def test_a_run_with_broken_scores_is_nan_and_its_neighbour_is_not(task, erm):
    part = make_parts(task, erm, "cpu")[1]
    z = torch.zeros(2, len(part.rows), 2)
    z[0, 3] = torch.nan
    counts, _ = count(z, part, 2, 2)
    assert np.isnan(counts[0]).all() and np.isfinite(counts[1]).all()


def test_logits_of_a_stack_equal_those_of_each_model_in_any_chunking(task, monkeypatch):
    net = registry.net("mlp")
    ones = [net.init(torch_generator(s), 6, 2, {"hidden": 8, "depth": 2}, None) for s in range(3)]
    stack = {k: torch.stack([w[k] for w in ones]) for k in ones[0]}
    x = torch.from_numpy(task.x)
    whole = stacked_logits(net, stack, x)
    monkeypatch.setattr(evaluate, "CHUNK_BYTES", 1)
    assert torch.allclose(whole, stacked_logits(net, stack, x), atol=1e-6)
    from core.nn.head import logits

    assert torch.allclose(whole[1], logits(net, ones[1], x), atol=1e-5)


def test_a_threshold_rule_counts_scores_at_or_above_it(task, erm):
    part = make_parts(task, erm, "cpu")[2]
    attr = task.attr[part.rows]
    score = np.where(np.arange(len(attr)) % 2 == 0, 0.4, 0.6)
    counts = count_rule(score, np.array([0.6, 0.7]), part, attr, 2)
    assert counts[1, :, 1].sum() == 0
    assert counts[0, :, 1].sum() == (score[attr == 0] >= 0.6).sum()


def test_large_training_parts_are_sampled_with_every_subgroup(erm):
    task = make_task(20_000)
    rare = task.splits.train[:10]
    attr = task.attr.copy()
    y = task.y.copy()
    attr[rare], y[rare] = 2, 1
    task = replace(task, attr=attr, y=y, attr_labels=("a", "b", "c"))
    rows = train_sample(task)
    assert 4000 < len(rows) < 4400 and np.isin(rows, task.splits.train).all()
    assert np.isin(rare, rows).all()
    n, effective = part_sizes(task, erm)
    assert n[0].sum() == len(rows) and np.allclose(n, effective)


def test_methods_that_learn_from_validation_rows_are_measured_on_the_others(task, erm):
    method = replace(erm, needs=frozenset({"fit_val"}))
    part = make_parts(task, method, "cpu")[1]
    assert np.array_equal(part.rows, task.val_select)


def test_probabilities_are_of_the_positive_class_for_two_classes():
    z = torch.tensor([[[0.0, np.log(3.0)]]])
    assert np.isclose(probabilities(z)[0, 0], 0.75)
    assert probabilities(torch.zeros(1, 2, 3)).shape == (1, 2, 3)
