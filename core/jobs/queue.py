"""Jobs in background threads: queued, run one after another, cancelled, resumed, and found again after a restart."""

from __future__ import annotations

import atexit
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import torch

from core import registry
from core.data.load import load_task
from core.engine.device import pick_device
from core.engine.plan import plan_cohorts
from core.engine.result import Outcome
from core.engine.train import train_cohort
from core.jobs.board import Board, Closed
from core.jobs.owner import Owner
from core.jobs.work import Work, end_job
from core.store.base import NotFound, Store, StoreError
from core.types import BadInput, JobSnapshot, Task, TrainSpec

LOG = logging.getLogger(__name__)
RESUMABLE = ("interrupted", "cancelled", "failed")
PATIENCE = 1.4  # seconds that a cancelled training gets to reach its next batch and keep a checkpoint


def default_threads() -> int:
    """Threads a training may use: all cores but one (which the pages keep), or COUNTERWEIGHT_THREADS."""
    wanted = os.environ.get("COUNTERWEIGHT_THREADS", "")
    return int(wanted) if wanted.isdigit() and int(wanted) > 0 else max(1, (os.cpu_count() or 1) - 1)


def yield_to_pages(niceness: int = 10) -> None:
    """Let the calling thread come after those that answer people when all cores are busy (Linux, where a thread has a
    niceness of its own; elsewhere nothing changes)."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


class Jobs:
    """The queue of one data folder.

    Jobs that the store takes for live although nobody works on them (the server that did has ended) become
    "interrupted" when the queue is made and when they are looked at.

    Args:
        store, home: where results and the uploaded tables lie.
        workers: how many jobs train at once.
        train, load: the engine and the data loader.
    """

    def __init__(
        self, store: Store, home: Path, workers: int = 1, *,
        train: Callable[..., Outcome] = train_cohort, load: Callable[..., Task] = load_task,
    ) -> None:  # fmt: skip
        self.store, self.home, self._train, self._load = store, Path(home), train, load
        self._boards: dict[str, Board] = {}
        self._queue: queue.Queue[Board | None] = queue.Queue()
        self._closed = False
        self._lock = threading.Lock()
        self._owner = Owner(self.home)
        for snapshot in self.store.jobs():
            self._end_if_cut_off(snapshot)
        self._threads = [
            threading.Thread(target=self._work, name=f"training-{k}", daemon=True) for k in range(max(1, workers))
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.shutdown)

    def _end_if_cut_off(self, snapshot: JobSnapshot) -> JobSnapshot:
        """The stored job as it is, "interrupted" where it was live and nobody works on it."""
        try:
            if not snapshot.live or self._owner.works(self.store.job_owner(snapshot.id)):
                return snapshot
            end_job(self.store, Board(snapshot, lambda job: self.store.put_job(job, "")), "interrupted")
            return self.store.job(snapshot.id)
        except NotFound:  # deleted meanwhile
            return replace(snapshot, state="cancelled", message="Its study was deleted.")

    # ------------------------------------------------------------ what pages call

    def submit(self, study: str, train: TrainSpec) -> str:
        """Check a training, queue it, and return its id.

        Raises:
            BadInput: a plan that cannot work (methods, settings, seeds, budget, device), or a study that is gone.
        """
        cohorts = plan_cohorts(train, registry.methods(), registry.net(train.net))
        pick_device(train.device)
        self._open()
        ident = self.store.add_job(study, train, self._owner.token)
        queued = replace(self.store.job(ident), n_runs=sum(c.n_runs for c in cohorts), message=self._waiting())
        self._enqueue(queued)
        return ident

    def resume(self, job: str) -> None:
        """Queue an interrupted, cancelled or failed job again: finished cohorts are kept, the others go on from their
        checkpoints. BadInput for a job in another state."""
        with self._lock:
            snapshot = self.snapshot(job)
            if snapshot.state not in RESUMABLE:
                raise BadInput("Job", f"one that is {snapshot.state}", "one that was interrupted, cancelled or failed",
                               "wait for it, or start a new training")
            self._open()
            again = replace(snapshot, state="queued", message=self._waiting(), ended=0.0, seconds_left=None,
                            version=snapshot.version + 1)
            self._enqueue(again)

    def cancel(self, job: str) -> None:
        """Stop a job: at once while it waits or reads, at its next batch while it trains, and after 1.4 seconds in any
        case (a model that cannot be stopped trains on unseen, and what comes of it is thrown away). Jobs that ended
        stay as they are. BadInput for a job that another program works on."""
        board = self._boards.get(job)
        if board is None or not board.read().live:
            if self.snapshot(job).live:
                raise BadInput("Job", "one that another program runs", "a job of this server", "stop it there")
            return
        board.cancel.set()
        if board.read().state != "running":
            end_job(self.store, board, "cancelled")
            return
        with suppress(Closed):
            board.update(message="Stopping at the next batch.")
        timer = threading.Timer(PATIENCE, self._give_up, (board,))
        timer.daemon = True
        timer.start()

    def snapshot(self, job: str) -> JobSnapshot:
        """The newest state of a job, from memory while this server runs it, else from the store."""
        board = self._boards.get(job)
        if board is not None and board.read().live:
            return board.read()
        stored = self.store.job(job)
        if board is not None and stored.version <= board.read().version:
            return board.read()
        return self._end_if_cut_off(stored)

    def live(self) -> list[JobSnapshot]:
        """Jobs of this server that run, then those that wait, in their order."""
        snapshots = [board.read() for board in list(self._boards.values())]
        return sorted((s for s in snapshots if s.live), key=lambda s: (s.state == "queued", s.created))

    def shutdown(self, seconds: float = 3.0) -> None:
        """Stop all workers; jobs that waited or ran become interrupted and keep their last checkpoint.

        Args:
            seconds: how long running jobs get to keep a checkpoint.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
        boards = [board for board in list(self._boards.values()) if board.read().live]
        for board in boards:
            board.cancel.set()
        for _ in self._threads:
            self._queue.put(None)
        end = time.monotonic() + seconds
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, end - time.monotonic()))
        for board in boards:
            self._end(board, "interrupted")
        self._owner.release()
        atexit.unregister(self.shutdown)

    # ------------------------------------------------------------ within

    def _open(self) -> None:
        if self._closed:
            raise BadInput("Job", "a server that is stopping", "a running server", "start it again")

    def _waiting(self) -> str:
        ahead = len(self.live())
        return f"Waiting for {ahead} job{'' if ahead == 1 else 's'} before it." if ahead else "Waiting for its turn."

    def _enqueue(self, snapshot: JobSnapshot) -> None:
        self.store.put_job(snapshot, self._owner.token)
        board = Board(snapshot, self.store.put_job)
        self._boards[snapshot.id] = board
        self._queue.put(board)

    def _give_up(self, board: Board) -> None:
        if board.read().live:
            self._end(board, "cancelled")

    def _end(self, board: Board, state: str) -> None:
        try:
            end_job(self.store, board, state)
        except StoreError as error:
            LOG.error("job %s could not be marked as %s: %s", board.read().id, state, error)

    def _work(self) -> None:
        torch.set_num_threads(default_threads())
        yield_to_pages()
        while True:
            board = self._queue.get()
            if board is None or self._closed:
                return
            if board.closed:
                continue
            try:
                Work(self.store, self.home, board, self._train, self._load,
                     lambda: "interrupted" if self._closed else "cancelled").run()
            except Exception:
                LOG.exception("job %s could not be ended in order", board.read().id)
