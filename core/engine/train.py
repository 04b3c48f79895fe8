"""Train a cohort: all its models together, measured as they go, cancelled within a batch, resumed from a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from core.engine.decide import decide_runs
from core.engine.device import halves, is_out_of_memory, pick_device, starting_blocks
from core.engine.evaluate import count, make_parts, probabilities, stacked_logits
from core.engine.loop import Cancelled, Stack, advance, make_stack
from core.engine.looped import train_looped
from core.engine.plan import Cohort, check_budget, check_task
from core.engine.result import Ledger, Outcome, Progress, make_scores
from core.engine.rows import gather_rows, make_pool
from core.engine.stack import draw_method, draw_weights
from core.engine.stages import HeadOnly, Merged, first_iterations, make_stage_two, stage_one
from core.types import Method, Net, Task

EMIT_SECONDS = 0.25
KEEP_EVERY = 4
Checkpoint = dict[str, Tensor]


def train_cohort(
    task: Task,
    cohort: Cohort,
    method: Method,
    net: Net,
    *,
    device: str = "cpu",
    emit: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    checkpoint: Mapping[str, Tensor] | None = None,
    keep: Callable[[Checkpoint], None] | None = None,
) -> Outcome:
    """Train all runs of a cohort.

    Args:
        emit: called after every evaluation (with history) and about four times a second (without).
        cancelled: asked before every batch; True ends the training at once with state "cancelled".
        checkpoint: what `keep` received earlier, to go on from; the result is the same as without the break.
        keep: receives a checkpoint after every fourth evaluation and on cancel.
    Raises:
        BadInput: the method or architecture cannot work on this task or device.
    A run whose loss or scores stop being finite is "diverged": a result, with the iteration at which it was seen.
    """
    check_budget(cohort.budget)
    check_task(task, method, net)
    trainer = Trainer(task, cohort, method, net, pick_device(device), emit, cancelled, keep)
    if not method.stacked:
        return train_looped(trainer)
    return trainer.run(checkpoint)


class Trainer:
    """State of one cohort's training. Blocks are lists of models that train as one stack; normally there is one."""

    def __init__(self, task, cohort, method, net, device="cpu", emit=None, cancelled=None, keep=None) -> None:
        self.task, self.cohort, self.method, self.net, self.device = task, cohort, method, net, device
        self.emit, self.cancelled, self.keep = emit or (lambda p: None), cancelled or (lambda: False), keep
        self.ledger = Ledger(task, cohort, method)
        self.parts = make_parts(task, method, device)
        self.total = float(cohort.n_models * cohort.budget.iterations)
        self.blocks = starting_blocks(task, cohort, net, device) if method.stacked else [[*range(cohort.n_models)]]
        self.final: dict[int, dict[str, Tensor]] = {}  # model -> its weights, once trained
        self.one: dict[str, Tensor] = {}  # stage-one weights while stage two runs
        self.messages: list[str] = []
        self.done = 0.0
        self.last_emit = 0.0

    # ------------------------------------------------------------ the course of a training

    def run(self, checkpoint: Mapping[str, Tensor] | None) -> Outcome:
        current = self._restore(checkpoint) if checkpoint else {}
        try:
            while self.blocks:
                self._train_or_split(self.blocks[0], current)
                current = {}
            rules = decide_runs(self) if self.method.decide else None
        except Cancelled:
            return self._outcome("cancelled", None)
        return self._outcome("finished", rules)

    def _train_or_split(self, models: list[int], current: Mapping[str, Tensor]) -> None:
        try:
            self._train_block(models, current)
            self.blocks.pop(0)
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error) or len(models) == 1:
                raise
            if self.device == "cuda":
                torch.cuda.empty_cache()
            self.blocks[:1] = halves(models)
            self.messages.append(f"{len(models)} models did not fit into memory together: trained in two halves.")

    def _train_block(self, models: list[int], current: Mapping[str, Tensor]) -> None:
        task, method, cohort = self.task, self.method, self.cohort
        first = first_iterations(method, cohort) if method.between else cohort.budget.iterations
        stage = int(current["stage"]) if current else 1
        self.one = {k[4:]: v.to(self.device) for k, v in current.items() if k.startswith("one/")}
        stack, head = None, None
        if stage == 1:
            learner = stage_one(method) if method.between else method
            rows = gather_rows(task, method, cohort, models)
            seeds = [cohort.model(m)[1] for m in models]
            pool = make_pool(task, method, rows, seeds, self.device, task.splits.train)
            weights = draw_weights(task, method, self.net, cohort, models)
            weights, state = draw_method(task, learner, cohort, models, pool, weights, first)
            stack = make_stack(task, learner, self.net, cohort, models, pool, weights, state, stage=1)
            self._train_stack(stack, models, 1, first, None, current)
            self.one = {k: v.detach() for k, v in stack.weights.items()}
        if method.between:
            stack, head = make_stage_two(task, method, self.net, cohort, models, self.one, first)
            resumed = current if stage == 2 else {}
            self._train_stack(stack, models, 2, cohort.budget.iterations, head, resumed)
        assert stack is not None
        full = self._full(stack, head)
        for r, m in enumerate(models):
            self.final[m] = {k: v[r].detach().cpu().clone() for k, v in full.items()}
        self.ledger.finish(models)
        self.done += len(models) * cohort.budget.iterations
        self.emit(Progress(self.done, self.total, self.ledger.history()))

    def _train_stack(self, stack: Stack, models, stage: int, stop: int, full: HeadOnly | Merged | None, current):
        if current:
            stack.restore({k[6:]: v for k, v in current.items() if k.startswith("stack/")})
        try:
            for e, step in enumerate(self.ledger.steps):
                if not stack.iteration < step <= stop:
                    continue
                advance(stack, step, lambda i: self._tick(i, len(models)))
                self.measure(e, models, self._full(stack, full))
                self.emit(Progress(self.done + step * len(models), self.total, self.ledger.history()))
                if self.keep and (e + 1) % KEEP_EVERY == 0:
                    self.keep(self._checkpoint(stack, stage))
            advance(stack, stop, lambda i: self._tick(i, len(models)))
        except Cancelled:
            if self.keep:
                self.keep(self._checkpoint(stack, stage))
            raise

    def _tick(self, iteration: int, models: int) -> None:
        if self.cancelled():
            raise Cancelled
        now = time.monotonic()
        if now - self.last_emit > EMIT_SECONDS:
            self.last_emit = now
            self.emit(Progress(self.done + iteration * models, self.total))

    def _full(self, stack: Stack, head: HeadOnly | Merged | None) -> dict[str, Tensor]:
        return head.full(stack.weights, stack.state) if head else {k: v.detach() for k, v in stack.weights.items()}

    # ------------------------------------------------------------ measuring

    def measure(self, e: int, models: list[int], weights: dict[str, Tensor]) -> None:
        """Counts and losses of all splits at evaluation `e`."""
        for p, part in enumerate(self.parts):
            z = stacked_logits(self.net, weights, part.x)
            counts, loss = count(z, part, self.task.n_classes, self.task.n_attrs)
            self.ledger.put(e, p, models, counts, loss)

    def final_scores(self, p: int) -> np.ndarray:
        """(n_models, n[, C]) probabilities on split `p` from the final weights, a few models at a time."""
        models = range(self.cohort.n_models)
        width = max(1, int(2e7 // max(1, self.parts[p].x.shape[0])))
        blocks = [models[i : i + width] for i in range(0, len(models), width)]
        return np.concatenate([self._scores_of(p, list(block)) for block in blocks])

    def _scores_of(self, p: int, models: list[int]) -> np.ndarray:
        weights = {k: torch.stack([self.final[m][k] for m in models]).to(self.device) for k in self.final[models[0]]}
        return probabilities(stacked_logits(self.net, weights, self.parts[p].x))

    def _outcome(self, state: str, rules) -> Outcome:
        cohort, n_runs = self.cohort, self.cohort.n_runs
        notes = rules.notes if rules else ("",) * n_runs
        history = self.ledger.history()
        if state == "cancelled":
            return Outcome(history, None, None, {}, notes, state, tuple(self.messages))
        default = np.full((n_runs, self.task.n_attrs), 0.5 if self.task.n_classes == 2 else np.nan)
        thresholds = rules.thresholds if rules else default
        scores = [np.repeat(self.final_scores(p), len(cohort.decisions), axis=0) for p in (1, 2)]
        val, test = (make_scores(self.parts[p], self.task, scores[p - 1], thresholds) for p in (1, 2))
        weights = {k: torch.stack([self.final[m][k] for m in range(cohort.n_models)]) for k in self.final[0]}
        return Outcome(history, val, test, weights, notes, state, tuple(self.messages))

    # ------------------------------------------------------------ checkpoints

    def _checkpoint(self, stack: Stack, stage: int) -> Checkpoint:
        block_of = torch.full((self.cohort.n_models,), -1)
        for b, models in enumerate(self.blocks):
            block_of[models] = b
        saved: Checkpoint = {"stage": torch.tensor(stage), "block_of": block_of}
        saved |= {f"stack/{k}": v for k, v in stack.checkpoint().items()}
        saved |= {f"one/{k}": v.cpu().clone() for k, v in self.one.items() if stage == 2}
        saved |= {f"ledger/{k}": torch.from_numpy(v.copy()) for k, v in self.ledger.tensors().items()}
        if self.final:
            done = sorted(self.final)
            saved["final.models"] = torch.tensor(done)
            saved |= {f"final/{k}": torch.stack([self.final[m][k] for m in done]) for k in self.final[done[0]]}
        return saved

    def _restore(self, saved: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        self.ledger.restore(lambda name: saved[f"ledger/{name}"].numpy())
        block_of = saved["block_of"]
        self.blocks = [torch.where(block_of == b)[0].tolist() for b in range(int(block_of.max()) + 1)]
        if "final.models" in saved:
            for r, m in enumerate(saved["final.models"].tolist()):
                self.final[m] = {k[6:]: v[r].clone() for k, v in saved.items() if k.startswith("final/")}
        self.done = float(len(self.final) * self.cohort.budget.iterations)
        return saved
