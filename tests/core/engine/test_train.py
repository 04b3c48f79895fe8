from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
import torch
from toys import BUDGET, NET, cohort_for, cohort_of, make_task, two_stage

from core import registry
from core.engine import train as train_module
from core.engine.rows import gather_rows, make_pool
from core.engine.train import train_cohort
from core.nn.head import logits
from core.types import BadInput, Param, Rule


def test_a_stack_trains_every_model_as_a_plain_loop_would(task, erm):
    cohort = cohort_for(erm, budget=replace(BUDGET, lr=(0.01, 0.003)))
    outcome = train_cohort(task, cohort, erm, NET)
    rows = gather_rows(task, erm, cohort, [0, 1, 2, 3])
    pool = make_pool(task, erm, rows, [cohort.model(m)[1] for m in range(4)], "cpu", task.splits.train)
    for m in range(4):
        settings, seed = cohort.model(m)
        from core.engine.seeds import torch_generator

        own = NET.init(torch_generator("weights", seed, ""), 6, 2, {"hidden": 8, "depth": 1}, None)
        own = {k: v.requires_grad_() for k, v in own.items()}
        groups = [{"params": [v], "weight_decay": 1e-4 if k.endswith(".w") else 0.0} for k, v in own.items()]
        optimizer = torch.optim.AdamW(groups, lr=settings["lr"])
        stream = pool.streams[pool.stream_of[m]]
        for step in range(60):
            take = stream.positions[stream.take(step * 32, step * 32 + 32)]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(logits(NET, own, pool.x[take]), pool.y[take]).backward()
            optimizer.step()
        for name, w in own.items():
            torch.testing.assert_close(outcome.weights[name][m], w.detach(), rtol=1e-3, atol=1e-4)
    assert not torch.allclose(outcome.weights["head.w"][0], outcome.weights["head.w"][1], atol=1e-3)


def test_the_last_history_agrees_with_the_final_scores(task, erm):
    outcome = train_cohort(task, cohort_for(erm), erm, NET)
    for p, scores in ((1, outcome.val), (2, outcome.test)):
        chosen = scores.score >= 0.5
        for a in range(2):
            hits = ((chosen == scores.y) & (scores.attr == a)).sum(1)
            assert np.allclose(np.trace(outcome.history.counts[-1, p, :, a], axis1=-2, axis2=-1), hits)
    assert outcome.history.iteration.tolist() == [10, 20, 30, 40, 50, 60]
    assert outcome.state == "finished"


def test_the_same_study_gives_the_same_numbers_and_touches_no_global_generator(task, erm):
    before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].copy()
    one, two = (train_cohort(task, cohort_for(erm), erm, NET) for _ in range(2))
    assert np.array_equal(one.test.score, two.test.score)
    assert torch.equal(before, torch.get_rng_state()) and (np.random.get_state()[1] == numpy_before).all()


def test_two_trainings_at_once_do_not_disturb_each_other(task, erm):
    alone = [train_cohort(task, cohort_for(erm, seeds=(s,)), erm, NET).test.score for s in (0, 1)]
    together: list = [None, None]

    def work(s):
        together[s] = train_cohort(task, cohort_for(erm, seeds=(s,)), erm, NET).test.score

    threads = [threading.Thread(target=work, args=(s,)) for s in (0, 1)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_cancel_stops_at_the_next_batch_and_keeps_what_was_measured(task, erm):
    asked = iter(range(10_000))
    outcome = train_cohort(task, cohort_for(erm), erm, NET, cancelled=lambda: next(asked) >= 25)
    assert outcome.state == "cancelled" and outcome.test is None
    assert outcome.history.iteration.tolist() == [10, 20]


@pytest.mark.parametrize("stop", [7, 25, 38, 55])
@pytest.mark.parametrize("stages", [1, 2])
def test_a_resumed_training_ends_with_the_numbers_of_an_unbroken_one(task, erm, stop, stages):
    method = erm if stages == 1 else two_stage()
    whole = train_cohort(task, cohort_for(method), method, NET)
    asked, saved = iter(range(10_000)), []
    broken = train_cohort(
        task, cohort_for(method), method, NET, cancelled=lambda: next(asked) >= stop, keep=saved.append
    )
    assert broken.state == "cancelled"
    resumed = train_cohort(task, cohort_for(method), method, NET, checkpoint=saved[-1])
    assert np.array_equal(resumed.test.score, whole.test.score)
    assert np.array_equal(resumed.history.counts, whole.history.counts)


def test_a_run_that_diverges_is_a_result_and_its_neighbours_finish(task, erm):
    cohort = cohort_for(erm, budget=replace(BUDGET, optimizer="sgd", lr=(0.01, 10.0), iterations=300), seeds=(0,))
    outcome = train_cohort(replace(task, x=task.x * 1e4), cohort, erm, NET)
    from core.types import RUN_STATES

    words = [RUN_STATES[s] for s in outcome.history.state]
    if "diverged" not in words:  # the step was survived: a larger one is not
        cohort = cohort_for(erm, budget=replace(BUDGET, optimizer="sgd", lr=(1e-6, 10.0), iterations=300), seeds=(0,))
        outcome = train_cohort(replace(task, x=task.x * 1e18), cohort, erm, NET)
        words = [RUN_STATES[s] for s in outcome.history.state]
    assert "diverged" in words
    run = words.index("diverged")
    assert outcome.history.diverged_at[run] > 0 and np.isnan(outcome.history.counts[-1, 2, run]).all()


def test_memory_that_runs_out_splits_the_stack_and_changes_no_number(task, erm, monkeypatch):
    cohort = cohort_for(erm, seeds=(0, 1, 2, 3))
    whole = train_cohort(task, cohort, erm, NET)
    real = train_module.Trainer._train_block

    def small(self, models, current):
        if len(models) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        real(self, models, current)

    monkeypatch.setattr(train_module.Trainer, "_train_block", small)
    split = train_cohort(task, cohort, erm, NET)
    np.testing.assert_allclose(split.test.score, whole.test.score, atol=1e-4)
    assert len(split.messages) == 1 and "halves" in split.messages[0]
    assert not np.isnan(split.history.counts).any()


def test_other_errors_are_not_taken_for_memory(task, erm, monkeypatch):
    def broken(self, models, current):
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(train_module.Trainer, "_train_block", broken)
    with pytest.raises(RuntimeError, match="shapes"):
        train_cohort(task, cohort_for(erm), erm, NET)


def test_decisions_are_counted_under_their_rule_and_share_the_model(task, erm):
    def decide(scores, attr, y, w, hp):
        return Rule(np.full(2, hp["cut"]), note=f"cut at {hp['cut']}")

    method = replace(erm, decide=decide, params=(Param("cut", 0.5, 0.0, 1.0, stage="decide"),))
    cohort = cohort_for(method, seeds=(0,), cut=(0.0, 0.5, 1.0))
    outcome = train_cohort(task, cohort, method, NET)
    positives = outcome.history.counts[-1, 2, :, :, :, 1].sum((1, 2))
    assert positives[0] == len(task.splits.test) and positives[2] == 0 < positives[1]
    assert outcome.notes == ("cut at 0.0", "cut at 0.5", "cut at 1.0")
    assert outcome.test.thresholds[2].tolist() == [1.0, 1.0] and outcome.weights["head.w"].shape[0] == 1


def test_progress_ends_at_its_total_and_history_only_grows(task, erm):
    seen = []
    train_cohort(task, cohort_for(erm), erm, NET, emit=seen.append)
    assert seen[-1].iteration == seen[-1].total == 2 * 60
    lengths = [len(p.history.iteration) for p in seen if p.history is not None]
    assert lengths == sorted(lengths) and lengths[-1] == 6


def test_several_classes_train_and_are_counted(erm):
    task = make_task(400, classes=3)
    outcome = train_cohort(task, cohort_for(erm), erm, NET)
    assert outcome.test.score.shape == (2, len(task.splits.test), 3)
    assert outcome.history.counts.shape[-2:] == (3, 3) and np.isnan(outcome.test.thresholds).all()


def test_an_impossible_pair_is_refused_before_training(task, erm):
    with pytest.raises(BadInput, match="images"):
        train_cohort(task, replace(cohort_of(erm), net="cnn"), erm, registry.net("cnn"))
