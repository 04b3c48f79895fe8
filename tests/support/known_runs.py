"""Runs whose numbers are known: every run's counts are set by hand."""

from __future__ import annotations

import numpy as np

from core.types import History, RunRecord

CLASSES, GROUPS = ("no", "yes"), ("women", "men")


def tables(right: np.ndarray, total: float = 100.0) -> np.ndarray:
    """Numbers of right rows (..., A, C) of `total` each -> counts (..., A, C, C)."""
    wrong = total - right
    return np.stack([np.stack([right[..., 0], wrong[..., 0]], -1), np.stack([wrong[..., 1], right[..., 1]], -1)], -2)


def make_history(right: np.ndarray, total: float = 100.0) -> History:
    """right (E, R, A, C), the same on every split but 10 fewer on test."""
    right = np.asarray(right, dtype=float)
    each = np.stack([right, right, right - 10], axis=1)
    counts = tables(each, total)
    e, _, r, a, c = each.shape
    cells = np.full((3, c, a), total)
    loss = (100 - each.swapaxes(-1, -2)) / 100
    return History(np.arange(1, e + 1) * 50, counts, loss, np.full(r, 2, np.int8), np.full(r, -1), cells, cells)


def make_run(position: int, method: str = "erm", seed: int = 0, cohort: str = "c", state: str = "finished",
             parent: str = "", note: str = "", **settings) -> RunRecord:
    return RunRecord(f"{cohort}{position}", "study", "job", cohort, position, method, settings, seed, "mlp", state,
                     parent, note)
