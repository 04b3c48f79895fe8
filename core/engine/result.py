"""What a cohort's training gives, as it grows: the ledger of measurements, and the outcome at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from core.engine.evaluate import Part, part_sizes
from core.engine.plan import Cohort, evaluation_steps
from core.types import RUN_STATES, SPLITS, History, Method, Scores, Task

FINISHED, DIVERGED, RUNNING = (RUN_STATES.index(s) for s in ("finished", "diverged", "running"))


@dataclass(frozen=True)
class Progress:
    """iteration of total model-iterations done; history where something new was measured, else None."""

    iteration: float
    total: float
    history: History | None = None


@dataclass(frozen=True)
class Outcome:
    """The end of a cohort. val, test None when cancelled. weights: name -> (n_models, ...) tensors on the CPU.
    notes: one sentence a run or ""; messages: what the engine did on the way (a block split for memory)."""

    history: History
    val: Scores | None
    test: Scores | None
    weights: dict[str, Tensor]
    notes: tuple[str, ...]
    state: str
    messages: tuple[str, ...] = ()

    @property
    def tested(self) -> Scores:
        """Test scores of a training that was not cancelled."""
        if self.test is None:
            raise ValueError("a cancelled training has no scores")
        return self.test


class Ledger:
    """Preallocated measurements of all runs; runs are models x decisions, filled model block by model block."""

    def __init__(self, task: Task, cohort: Cohort, method: Method) -> None:
        self.task, self.cohort = task, cohort
        self.steps = evaluation_steps(cohort.budget) if method.stacked else (cohort.budget.iterations,)
        shape = (len(self.steps), len(SPLITS), cohort.n_runs, task.n_attrs, task.n_classes, task.n_classes)
        self.counts = np.full(shape, np.nan)
        self.loss = np.full((*shape[:3], task.n_classes, task.n_attrs), np.nan)
        self.state = np.full(cohort.n_runs, RUNNING, np.int8)
        self.diverged_at = np.full(cohort.n_runs, -1, np.int64)
        self.n, self.n_effective = part_sizes(task, method)
        self.filled = 0

    def runs_of(self, models: Sequence[int]) -> np.ndarray:
        """(len(models), n_decisions) run positions."""
        width = len(self.cohort.decisions)
        return np.asarray(models)[:, None] * width + np.arange(width)

    def put(self, e: int, p: int, models: Sequence[int], counts: np.ndarray, loss: np.ndarray) -> None:
        """One split of one evaluation: counts (R, A, C, C), loss (R, C, A) of the models, copied to their decisions."""
        runs = self.runs_of(models)
        self.counts[e, p, runs] = counts[:, None]
        self.loss[e, p, runs] = loss[:, None]
        broken = np.isnan(counts).any(axis=(1, 2, 3))
        new = runs[broken].ravel()
        new = new[self.state[new] != DIVERGED]
        self.state[new] = DIVERGED
        self.diverged_at[new] = self.steps[e]
        self.filled = max(self.filled, e + 1)

    def put_rule(self, p: int, run: int, counts: np.ndarray) -> None:
        """Replace the last evaluation of one run by what its decision rule gives."""
        self.counts[-1, p, run] = counts

    def finish(self, models: Sequence[int]) -> None:
        runs = self.runs_of(models).ravel()
        self.state[runs] = np.where(self.state[runs] == DIVERGED, DIVERGED, FINISHED)

    def history(self) -> History:
        """A copy of what is known by now."""
        e = self.filled
        return History(
            np.asarray(self.steps[:e], np.int64), self.counts[:e].copy(), self.loss[:e].copy(),
            self.state.copy(), self.diverged_at.copy(), self.n, self.n_effective,
        )  # fmt: skip

    def tensors(self) -> dict[str, np.ndarray]:
        """For a checkpoint."""
        return {"counts": self.counts, "loss": self.loss, "state": self.state, "diverged_at": self.diverged_at}

    def restore(self, saved: Callable[[str], np.ndarray]) -> None:
        for name, array in self.tensors().items():
            array[...] = saved(name)
        seen = ~np.isnan(self.counts).all(axis=tuple(range(1, self.counts.ndim)))
        self.filled = int(np.flatnonzero(seen).max() + 1) if seen.any() else 0


def make_scores(part: Part, task: Task, score: np.ndarray, thresholds: np.ndarray) -> Scores:
    """Scores of one split from (R, n[, C]) probabilities and (R, A) thresholds."""
    return Scores(
        score=score, thresholds=thresholds, y=task.y[part.rows], attr=task.attr[part.rows],
        w=task.w[part.rows], rows=part.rows,
    )  # fmt: skip
