"""What came of it: runs, their measurements and scores, and jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # torch and pandas take a second to import: types must not pay for it
    import numpy as np

SPLITS = ("train", "val", "test")
RUN_STATES = ("queued", "running", "finished", "diverged", "failed", "cancelled", "interrupted")


@dataclass(frozen=True)
class RunRecord:
    """One run as the store knows it: where its arrays lie (cohort, position) and what it was.

    key: 16 hex characters, a hash of task fingerprint, method, settings, net, budget, seed: same work, same key.
    settings: the method's settings plus "lr" and "weight_decay". state: one of RUN_STATES.
    parent: for a saved threshold rule the key of the run it was made from, else "". stage: what was reached ("note").
    """

    key: str
    study: str
    job: str
    cohort: str
    position: int
    method: str
    settings: Mapping[str, Any]
    seed: int
    net: str
    state: str
    parent: str = ""
    note: str = ""

    @property
    def setting_key(self) -> str:
        """The same for runs that differ by seed alone (and by nothing else)."""
        pairs = ", ".join(f"{k}={v}" for k, v in sorted(self.settings.items()))
        return f"{self.job}:{self.net}:{self.method}:{pairs}:{self.parent and self.cohort}"


@dataclass(frozen=True)
class History:
    """What a cohort's evaluations counted (arrays in numpy; the E axis grows while training).

    iteration (E,) int64; counts (E, P, R, A, C, C) float64, weighted confusion counts; loss (E, P, R, C, A) float64,
    weighted mean cross-entropy of each class x attribute group, NaN where the cell is empty;
    state (R,) int8 index into RUN_STATES; diverged_at (R,) int64 iteration or -1;
    n (P, C, A) float64 unweighted rows per cell, n_effective (P, C, A) Kish's effective rows.
    The train split is measured on a fixed sample when it is large; n says how many rows.
    """

    iteration: np.ndarray
    counts: np.ndarray
    loss: np.ndarray
    state: np.ndarray
    diverged_at: np.ndarray
    n: np.ndarray
    n_effective: np.ndarray


@dataclass(frozen=True)
class Scores:
    """Final scores of one cohort on one split: score (R, n) float32 probability of the positive class for two classes,
    else (R, n, C); thresholds (R, A) of the rule each run decides with (0.5 without a rule; NaN for several classes);
    y, attr (n,) int64; w (n,) float32; rows (n,) row numbers of the dataset."""

    score: np.ndarray
    thresholds: np.ndarray
    y: np.ndarray
    attr: np.ndarray
    w: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class JobSnapshot:
    """A job at one moment, immutable; replaced whole under a lock. Times are time.time() seconds.

    state: "queued", "preparing", "running", "finished", "failed", "cancelled", "interrupted".
    done, total: run-iterations. message: one sentence about what it is doing or why it stopped.
    """

    id: str
    study: str
    state: str
    version: int = 0
    done: float = 0.0
    total: float = 1.0
    n_runs: int = 0
    finished: int = 0
    diverged: int = 0
    failed: int = 0
    created: float = 0.0
    started: float = 0.0
    ended: float = 0.0
    seconds_left: float | None = None
    message: str = ""
    device: str = ""
    log: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        return self.state in ("queued", "preparing", "running")

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0
