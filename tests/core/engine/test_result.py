from __future__ import annotations

from dataclasses import replace

import numpy as np
from toys import cohort_of

from core.engine.result import Ledger
from core.types import RUN_STATES, Param


def ledger_of(task, erm):
    method = replace(erm, params=(Param("bound", 0.1, 0.0, 1.0, stage="decide"),))
    return Ledger(task, cohort_of(method, seeds=(0, 1), bound=(0.1, 0.2, 0.3)), method)


def test_a_models_counts_go_to_all_its_decisions(task, erm):
    ledger = ledger_of(task, erm)
    ledger.put(0, 2, [1], np.full((1, 2, 2, 2), 5.0), np.zeros((1, 2, 2)))
    history = ledger.history()
    assert history.counts.shape == (1, 3, 6, 2, 2, 2)
    assert (history.counts[0, 2, 3:] == 5).all() and np.isnan(history.counts[0, 2, :3]).all()


def test_divergence_is_noted_once_with_its_iteration_and_survives_finish(task, erm):
    ledger = ledger_of(task, erm)
    for e in (1, 2):
        ledger.put(e, 0, [0], np.full((1, 2, 2, 2), np.nan), np.full((1, 2, 2), np.nan))
    ledger.finish([0, 1])
    words = [RUN_STATES[s] for s in ledger.state]
    assert words == ["diverged"] * 3 + ["finished"] * 3
    assert ledger.diverged_at.tolist() == [ledger.steps[1]] * 3 + [-1] * 3


def test_a_ledger_comes_back_from_its_tensors(task, erm):
    ledger, other = ledger_of(task, erm), ledger_of(task, erm)
    ledger.put(4, 1, [0, 1], np.ones((2, 2, 2, 2)), np.ones((2, 2, 2)))
    saved = {k: v.copy() for k, v in ledger.tensors().items()}
    other.restore(lambda name: saved[name])
    assert other.filled == 5 and np.array_equal(other.counts, ledger.counts, equal_nan=True)
