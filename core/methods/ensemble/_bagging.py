"""The loop of the ensembles that average: each member learns from its own sample, and all have the same say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.methods.ensemble._members import Data, Ensemble, Predict, Sample, grow, running_mean, shares

Member = Callable[[Sample, np.random.Generator], Predict]
Choose = Callable[[int, np.ndarray | None, np.random.Generator], Sample]


def tree_member(n_classes: int, depth: int, features: str | None = None) -> Member:
    """A member that is one tree."""

    def fit(sample: Sample, rng: np.random.Generator) -> Predict:
        tree = grow(sample, depth, rng, features)
        return lambda x: shares(tree, x, n_classes)

    return fit


def average(members: Sequence[Predict]) -> Predict:
    """Mean of the members' probabilities."""

    def predict(x: np.ndarray) -> np.ndarray:
        total = members[0](x)
        for member in members[1:]:
            total = total + member(x)
        return total / len(members)

    return predict


def bag(data: Data, rounds: int, choose: Choose, member: Member, rng: np.random.Generator, watch=False) -> Ensemble:
    """Fit `rounds` members. choose(t, mean, rng) gives the sample of round t; with `watch`, mean (M, C) is what the
    members so far say of the training rows (None in the first round)."""
    members: list[Predict] = []
    counts, mean = [], None
    for t in range(rounds):
        sample = choose(t, mean, rng)
        counts.append(sample.counts)
        members.append(member(sample, rng))
        if watch and t < rounds - 1:
            mean = running_mean(mean, members[-1](data.x), t)
    return Ensemble(average(members), np.array(counts))


def hardness(mean: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(M,) one minus the probability that the ensemble so far gives to a row's own class."""
    return np.clip(1.0 - mean[np.arange(len(y)), y], 0.0, 1.0)
