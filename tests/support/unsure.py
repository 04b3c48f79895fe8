"""Rows for tests of conformal sets: scores given as such, and a classifier that is less sure of one group."""

from __future__ import annotations

import numpy as np

from core.audit.set_thresholds import Halves, SetRows


def halves_of(score, code, new_score, new_code, w=None, new_w=None) -> Halves:
    """One class only: the sets hold it where its score is at most the threshold."""
    def half(s, c, v):
        return SetRows(np.asarray(s, float)[:, None], np.zeros(len(s), int), np.asarray(c), np.ones(len(s))
                       if v is None else np.asarray(v, float), None)
    labels = tuple("ab"[:max(code) + 1])
    return Halves(half(score, code, w), half(new_score, new_code, new_w), labels, 0.95, 10)


def classifier(rng, n, noise=(0.5, 2.0), classes=2):
    """Two groups; the second one's probabilities are much less sure. Labels follow the probabilities."""
    code = rng.integers(0, 2, n)
    z = rng.normal(size=(n, classes)) / np.array(noise)[code, None]
    p = np.exp(2 * z)
    p /= p.sum(1, keepdims=True)
    y = (p.cumsum(1) < rng.random(n)[:, None]).sum(1)
    return p, y, code
