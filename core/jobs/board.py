"""The live state of one job: an immutable snapshot swapped under a lock, its log, and how much time is left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from core.types import JobSnapshot

MAX_LOG = 200
STORE_SECONDS = 2.0


class Board:
    """Where a worker writes and pages read. `save` keeps a snapshot in the store: at once when the state changes, else
    every two seconds."""

    def __init__(self, snapshot: JobSnapshot, save: Callable[[JobSnapshot], None]) -> None:
        self.cancel = threading.Event()
        self.stopped_by_server = False
        self._snapshot, self._save, self._saved = snapshot, save, 0.0
        self._lock = threading.Lock()
        self._since: tuple[float, float] | None = None  # (time, done) at the start of this stretch of training

    def read(self) -> JobSnapshot:
        """The newest snapshot."""
        return self._snapshot

    def update(self, *, log: str = "", **changes) -> JobSnapshot:
        """Change fields and add a log line; returns the new snapshot."""
        with self._lock:
            before = self._snapshot
            if log:
                changes["log"] = (*before.log, f"{time.strftime('%H:%M:%S')}  {log}")[-MAX_LOG:]
            after = replace(before, **changes, version=before.version + 1)
            self._snapshot = after
            now = time.monotonic()
            due = after.state != before.state or now - self._saved > STORE_SECONDS or not after.live
            if due:
                self._saved = now
        if due:
            self._save(after)
        return after

    def advance(self, done: float) -> None:
        """Run-iterations done so far; the time left follows from the pace of this stretch."""
        now = time.monotonic()
        if self._since is None or done < self._since[1]:
            self._since = (now, done)
        began, start = self._since
        left = None
        if done > start and now - began > 1.0:
            left = (self._snapshot.total - done) * (now - began) / (done - start)
        self.update(done=done, seconds_left=left)
