"""Decision rules of post-processing methods: chosen on validation scores, then counted on every split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.engine.evaluate import count_rule
from core.engine.loop import Cancelled

if TYPE_CHECKING:
    from core.engine.train import Trainer


@dataclass(frozen=True)
class Rules:
    """thresholds (n_runs, A); notes: what was reached, one sentence a run or ""."""

    thresholds: np.ndarray
    notes: tuple[str, ...]


def decide_runs(trainer: Trainer) -> Rules:
    """Ask `decide` for every run and replace its last measurement by what the rule gives.

    The rule sees validation rows alone, so its validation numbers are optimistic and its test numbers are not.
    A diverged run keeps the threshold 0.5.
    """
    task, cohort, method = trainer.task, trainer.cohort, trainer.method
    scores = [trainer.final_scores(p) for p in range(3)]
    val = trainer.parts[1].rows
    thresholds = np.full((cohort.n_runs, task.n_attrs), 0.5)
    notes = [""] * cohort.n_runs
    for run in range(cohort.n_runs):
        if trainer.cancelled():
            raise Cancelled
        model, d = divmod(run, len(cohort.decisions))
        if not np.isfinite(scores[1][model]).all():
            continue
        hp = cohort.decisions[d]
        rule = method.decide(scores[1][model], task.attr[val], task.y[val], task.w[val], hp)
        # A group without validation rows keeps the fallback threshold of 0.5.
        seen = np.isin(np.arange(task.n_attrs), task.attr[val])[: len(rule.thresholds)]
        thresholds[run, : len(seen)][seen] = rule.thresholds[seen]
        notes[run] = rule.note
        for p, part in enumerate(trainer.parts):
            counts = count_rule(scores[p][model], thresholds[run], part, task.attr[part.rows], task.n_attrs)
            trainer.ledger.put_rule(p, run, counts)
    return Rules(thresholds, tuple(notes))
