"""The loop of boosting for any number of classes (SAMME), with places for resampling and costs.

    a = ln((1 - e) / e) + ln(K - 1),   d <- d exp(a wrong)

d: weights of the rows, sum 1; e: weighted error on all rows or on the member's own sample. A member with
e >= 1 - 1/K knows nothing and gets no vote: where samples are drawn anew the weights start again, else boosting ends.
A member without error has the last word and ends it too. Without members the class shares are the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.methods.ensemble._draws import Pick
from core.methods.ensemble._members import Data, Ensemble, Predict, Sample, grow

NO_ERROR = 1e-10


@dataclass(frozen=True)
class Changes:
    """What a variant changes in the loop; by default nothing, which is AdaBoost.

    Args:
        pick: sample of a round from (t, weights, rng); None: all rows.
        start: (M,) factors on the first weights.
        exponent: predicted classes (M,) -> (M,) factors on the exponent of wrong rows.
        tilt: (M,) added to the logarithm of the weights after every round.
        judge: "all" rows or the member's own "sample": where its error e is measured.
    """

    pick: Pick | None = None
    start: np.ndarray | None = None
    exponent: Callable[[np.ndarray], np.ndarray] | None = None
    tilt: np.ndarray | None = None
    judge: str = "all"


def vote_weight(error: float, n_classes: int) -> float:
    """a of one member; an error of 0 counts as 1e-10."""
    e = max(error, NO_ERROR)
    return float(np.log((1 - e) / e) + np.log(n_classes - 1))


def normalise(log_d: np.ndarray) -> np.ndarray:
    """Weights with sum 1 from their logarithms, whatever the size of these."""
    d = np.exp(log_d - log_d.max())
    return d / d.sum()


def sample_error(tree, sample: Sample) -> float:
    """Weighted error of a tree on what it learnt from."""
    return float(np.average(tree.predict(sample.x) != sample.y, weights=sample.w))


def combine(members: list, votes: list[float], n_classes: int) -> Predict:
    """Probabilities: softmax of the weighted mean vote, 1 for the class named and -1/(K - 1) for the others."""

    def predict(x: np.ndarray) -> np.ndarray:
        score = np.zeros((len(x), n_classes))
        for tree, a in zip(members, votes, strict=True):
            score += a * (np.eye(n_classes)[tree.predict(x)] * n_classes - 1.0) / (n_classes - 1)
        z = score / (sum(votes) * (n_classes - 1))
        z = np.exp(z - z.max(1, keepdims=True))
        return z / z.sum(1, keepdims=True)

    return predict


def boost(data: Data, rounds: int, depth: int, rng: np.random.Generator, changes: Changes = Changes()) -> Ensemble:
    """Boost trees of `depth`; facts: "error" of every member tried, "vote" (0 where it was dropped)."""
    first = np.log(np.maximum(data.w * (1.0 if changes.start is None else changes.start), 1e-300))
    log_d, members = first, []
    votes: list[float] = []
    tried: list[tuple[np.ndarray, float, float]] = []
    for t in range(rounds):
        d = normalise(log_d)
        sample = changes.pick(t, d, rng) if changes.pick else Sample(data.x, data.y, d, data.sizes)
        tree = grow(sample, depth, rng)
        pred = tree.predict(data.x)
        wrong = pred != data.y
        error = float(d[wrong].sum()) if changes.judge == "all" else sample_error(tree, sample)
        bad = error >= 1 - 1 / data.n_classes - 1e-12
        a = 0.0 if bad else vote_weight(error, data.n_classes)
        tried.append((sample.counts, error, a))
        if not bad:
            members.append(tree)
            votes.append(a)
            push = a * wrong * (1.0 if changes.exponent is None else changes.exponent(pred))
            log_d = np.log(np.maximum(d, 1e-300)) + push + (0.0 if changes.tilt is None else changes.tilt)
        if error <= NO_ERROR or (bad and changes.pick is None):
            break
        if bad:
            log_d = first
    counts, errors, kept = (np.array(column) for column in zip(*tried, strict=True))
    predict = combine(members, votes, data.n_classes) if members else prior(data)
    return Ensemble(predict, counts, {"error": errors, "vote": kept})


def prior(data: Data) -> Predict:
    """The weighted class shares, for everybody."""
    share = np.bincount(data.y, data.w, minlength=data.n_classes) / data.w.sum()
    return lambda x: np.tile(share, (len(x), 1))


def rarity(mass: np.ndarray, strength: float) -> np.ndarray:
    """(G,) how many times lighter than the heaviest a cell is, to the power `strength`; 1 for empty cells."""
    return np.where(mass > 0, mass.max() / np.where(mass > 0, mass, 1.0), 1.0) ** strength
