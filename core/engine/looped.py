"""The scikit-learn escape: methods with `fit` train one after another. Slower, and the app says so."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.engine.decide import decide_runs
from core.engine.evaluate import count
from core.engine.result import Outcome, Progress, make_scores
from core.engine.rows import gather_rows
from core.types import Rows, Task

if TYPE_CHECKING:
    from core.engine.train import Trainer


def fit_rows(task: Task, rows: Rows) -> Rows:
    """Rows with index and weight filled in: what `fit` receives."""
    index = task.splits.train if rows.index is None else np.asarray(rows.index)
    weight = task.w[index].astype(np.float64)
    if rows.y is not None:
        weight = np.concatenate([weight, np.ones(len(rows.y))])
    if rows.weight is not None:
        weight = weight * rows.weight
    return Rows(index=index, weight=weight, prob=rows.prob, x=rows.x, y=rows.y, attr=rows.attr)


def _predicted(predict, task: Task, rows: np.ndarray) -> np.ndarray:
    """(n, C) probabilities; a `predict` with a second argument `attr` is told everybody's group."""
    if "attr" in inspect.signature(predict).parameters:
        return predict(task.x[rows], attr=task.attr[rows])
    return predict(task.x[rows])


def train_looped(trainer: Trainer) -> Outcome:
    """Fit every model in turn; cancel takes effect between two fits."""
    task, cohort, method, ledger = trainer.task, trainer.cohort, trainer.method, trainer.ledger
    models = list(range(cohort.n_models))
    rows = gather_rows(task, method, cohort, models)
    shares: list[list[np.ndarray]] = [[], [], []]
    for m in models:
        if trainer.cancelled():
            return Outcome(ledger.history(), None, None, {}, ("",) * cohort.n_runs, "cancelled")
        settings, seed = cohort.model(m)
        predict = method.fit(task, fit_rows(task, rows[m]), settings, seed)
        for p, part in enumerate(trainer.parts):
            share = np.asarray(_predicted(predict, task, part.rows), dtype=np.float64)
            shares[p].append(share.astype(np.float32))
            z = torch.from_numpy(np.log(np.clip(share, 1e-12, None)))[None]
            counts, loss = count(z, part, task.n_classes, task.n_attrs)
            ledger.put(0, p, [m], counts, loss)
        ledger.finish([m])
        trainer.done += cohort.budget.iterations
        trainer.emit(Progress(trainer.done, trainer.total, ledger.history()))
    return _outcome(trainer, [np.stack(s) for s in shares])


def _outcome(trainer: Trainer, shares: list[np.ndarray]) -> Outcome:
    task, cohort = trainer.task, trainer.cohort
    binary = task.n_classes == 2
    scores = [s[..., 1] if binary else s for s in shares]
    notes = ("",) * cohort.n_runs
    thresholds = np.full((cohort.n_runs, task.n_attrs), 0.5 if binary else np.nan)
    if trainer.method.decide:
        trainer.final_scores = lambda p: scores[p]  # type: ignore[method-assign]
        rules = decide_runs(trainer)
        notes, thresholds = rules.notes, rules.thresholds
    runs = [np.repeat(s, len(cohort.decisions), axis=0) for s in scores]
    val, test = (make_scores(trainer.parts[p], task, runs[p], thresholds) for p in (1, 2))
    return Outcome(trainer.ledger.history(), val, test, {}, notes, "finished", tuple(trainer.messages))
