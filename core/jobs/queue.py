"""Jobs in background threads: queued, run one after another, cancelled, resumed, and found again after a restart."""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import torch

from core import registry
from core.data.load import load_task
from core.engine.plan import plan_cohorts
from core.engine.train import train_cohort
from core.jobs.board import Board
from core.jobs.work import run_job
from core.store.base import NotFound, Store
from core.types import BadInput, JobSnapshot, TrainSpec

RESUMABLE = ("interrupted", "cancelled", "failed")
CUT_OFF = "The server stopped while this job was running. Resume it to go on from its last checkpoint."


def default_threads() -> int:
    """Threads a training may use: all cores but one (which the pages keep), or COUNTERWEIGHT_THREADS."""
    wanted = os.environ.get("COUNTERWEIGHT_THREADS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) > 0 else max(1, (os.cpu_count() or 1) - 1)


class Jobs:
    """The queue of one data folder. `train` and `load` are the engine and the data loader (replaced in tests)."""

    def __init__(
        self, store: Store, home: Path, workers: int = 1, *, train: Callable = train_cohort, load: Callable = load_task
    ) -> None:
        self.store, self.home, self.train, self.load = store, Path(home), train, load
        self._boards: dict[str, Board] = {}
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._closed = False
        self._lock = threading.Lock()
        self._mark_cut_off()
        self._threads = [
            threading.Thread(target=self._work, name=f"training-{k}", daemon=True) for k in range(max(1, workers))
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.shutdown)

    def _mark_cut_off(self) -> None:
        """Jobs that the store still takes for live were cut off with the last server."""
        for snapshot in self.store.jobs():
            if snapshot.live:
                self._interrupt(snapshot)

    def _interrupt(self, snapshot: JobSnapshot) -> JobSnapshot:
        after = replace(
            snapshot, state="interrupted", message=CUT_OFF, ended=time.time(), seconds_left=None,
            version=snapshot.version + 1,
        )  # fmt: skip
        self.store.put_job(after)
        self._set_unfinished(snapshot.study, snapshot.id, "interrupted")
        return after

    def _set_unfinished(self, study: str, job: str, state: str) -> None:
        by_cohort: dict[str, list[tuple[int, str, str]]] = {}
        for run in self.store.runs(study, job):
            if run.state in ("queued", "running"):
                by_cohort.setdefault(run.cohort, []).append((run.position, state, ""))
        for cohort, states in by_cohort.items():
            self.store.set_run_states(cohort, states)

    # ------------------------------------------------------------ what pages call

    def submit(self, study: str, train: TrainSpec) -> str:
        """Check a training, queue it, and return its id. BadInput where the plan itself is wrong."""
        plan_cohorts(train, registry.methods(), registry.net(train.net))
        self.store.study(study)
        job = self.store.add_job(study, train)
        self._enqueue(self.store.job(job))
        return job

    def resume(self, job: str) -> None:
        """Queue an interrupted, cancelled or failed job again: finished cohorts are kept, the others go on."""
        snapshot = self.snapshot(job)
        if snapshot.state not in RESUMABLE:
            raise BadInput(
                "Job", f"a job that is {snapshot.state}", "one that was cut off, cancelled or failed", "wait"
            )
        queued = replace(
            snapshot, state="queued", message="Waiting for its turn.", ended=0.0, version=snapshot.version + 1
        )
        self.store.put_job(queued)
        self._enqueue(queued)

    def _enqueue(self, snapshot: JobSnapshot) -> None:
        if self._closed:
            raise RuntimeError("the queue is shut down")
        with self._lock:
            self._boards[snapshot.id] = Board(snapshot, self._save)
        self._queue.put(snapshot.id)

    def _save(self, snapshot: JobSnapshot) -> None:
        try:
            self.store.put_job(snapshot)
        except NotFound:  # the study was deleted while its job ran
            board = self._boards.get(snapshot.id)
            if board:
                board.cancel.set()

    def cancel(self, job: str) -> None:
        """Stop a job: at once while it waits, at its next batch while it trains. Ended jobs stay as they are."""
        board = self._boards.get(job)
        if board is None or not board.read().live:
            return
        board.cancel.set()
        if board.read().state == "queued":
            board.update(state="cancelled", message="Cancelled before it began.", ended=time.time(), log="Cancelled.")
            self._set_unfinished(board.read().study, job, "cancelled")
        else:
            board.update(message="Stopping at the next batch.")

    def snapshot(self, job: str) -> JobSnapshot:
        """The newest state of a job, from memory while this server runs it, else from the store."""
        board = self._boards.get(job)
        return board.read() if board else self.store.job(job)

    def live(self) -> list[JobSnapshot]:
        """Jobs that wait or run, in their order."""
        with self._lock:
            snapshots = [b.read() for b in self._boards.values()]
        return sorted((s for s in snapshots if s.live), key=lambda s: (s.state == "queued", s.created))

    def shutdown(self, seconds: float = 3.0) -> None:
        """Stop all workers; running jobs keep their last checkpoint and become interrupted."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            boards = list(self._boards.values())
        for board in boards:
            if board.read().live:
                board.stopped_by_server = True
                board.cancel.set()
        for _ in self._threads:
            self._queue.put(None)
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))
        for board in boards:
            if board.read().live:
                self._interrupt(board.read())
        atexit.unregister(self.shutdown)

    # ------------------------------------------------------------ the worker

    def _work(self) -> None:
        torch.set_num_threads(default_threads())
        while True:
            job = self._queue.get()
            if job is None or self._closed:
                return
            board = self._boards[job]
            if board.read().live and not board.cancel.is_set():
                run_job(self, board)
