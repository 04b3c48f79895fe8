"""The live state of one job: an immutable snapshot swapped under a lock, its log, and how much time is left."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from core.types import JobSnapshot

MAX_LOG = 200
STORE_SECONDS = 2.0
PACE_SECONDS = 30.0


class Closed(Exception):
    """The job was ended from outside (cancel, shutdown, deletion): its worker may write nothing more."""


class Board:
    """Where a worker writes and pages read.

    Args:
        snapshot: the job as it is now.
        save: keeps a snapshot in the store; called at once when the state changes, else every two seconds.
    """

    def __init__(self, snapshot: JobSnapshot, save: Callable[[JobSnapshot], None]) -> None:
        self.cancel = threading.Event()
        self._snapshot, self._save, self._saved = snapshot, save, 0.0
        self._lock = threading.Lock()  # swaps of the snapshot: never held for long
        self._gate = threading.RLock()  # writes to the store: `close` waits for the one that is under way
        self._closed = False
        self._pace: deque[tuple[float, float]] = deque()

    def read(self) -> JobSnapshot:
        """The newest snapshot."""
        return self._snapshot

    @property
    def closed(self) -> bool:
        """Whether the job is over for its worker."""
        return self._closed

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Surround every write of results with this: raises Closed once the job was ended from outside."""
        with self._gate:
            if self._closed:
                raise Closed
            yield

    def update(self, *, log: str = "", **changes: Any) -> JobSnapshot:
        """Change fields and add a log line; returns the new snapshot. Raises Closed once the job has ended."""
        with self._lock:
            if self._closed:
                raise Closed
            before = self._snapshot
            self._snapshot = after = self._changed(log, changes)
            now = time.monotonic()
            due = after.state != before.state or now - self._saved > STORE_SECONDS
            self._saved = now if due else self._saved
        if due:
            with self.writing():
                self._save(after)
        return after

    def close(
        self, state: str, message: str, log: str = "", before: Callable[[], None] = lambda: None, **changes: Any
    ) -> bool:
        """End the job: the last snapshot, after which its worker writes nothing. False where it had ended already.

        Readers see the end once it is stored. `before` puts other things in the store in order first.
        """
        with self._gate:
            with self._lock:
                if self._closed:
                    return False
                self._closed = True
                ending = {"state": state, "message": message, "ended": time.time(), "seconds_left": None}
                after = self._changed(log or message, {**ending, **changes})
            try:
                before()
            finally:
                try:
                    self._save(after)
                finally:
                    self._snapshot = after
        return True

    def _changed(self, log: str, changes: dict[str, Any]) -> JobSnapshot:
        if log:
            line = f"{time.strftime('%H:%M:%S')}  {log}"
            changes = {**changes, "log": (*self._snapshot.log, line)[-MAX_LOG:]}
        return replace(self._snapshot, **changes, version=self._snapshot.version + 1)

    def new_pace(self) -> None:
        """Forget how fast it went: what comes next is of another kind."""
        self._pace.clear()

    def advance(self, done: float) -> None:
        """Run-iterations done so far. The time left follows from the pace of the last half minute, smoothed."""
        now = time.monotonic()
        self._pace.append((now, done))
        while len(self._pace) > 2 and now - self._pace[0][0] > PACE_SECONDS:
            self._pace.popleft()
        began, start = self._pace[0]
        if done <= start or now - began <= 1.0:
            self.update(done=done)
            return
        left = (self._snapshot.total - done) * (now - began) / (done - start)
        before, passed = self._snapshot.seconds_left, now - self._pace[-2][0]
        if before is not None:
            left = 0.8 * max(0.0, before - passed) + 0.2 * left
        self.update(done=done, seconds_left=left)
