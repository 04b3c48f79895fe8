"""Group operations that are safe under vmap: everything is a matrix product with a one-hot, no indexing, no branches.

Shapes: B rows of a batch, G groups; `onehot` is (B, G). Empty groups give mean 0 and presence 0, never NaN,
so that a caller decides what an absent group means.
"""

from __future__ import annotations

from torch import Tensor, where


def sizes(onehot: Tensor, weight: Tensor | None = None) -> Tensor:
    """(B, G), (B,) -> (G,): rows (or summed weights) of each group."""
    return onehot.sum(-2) if weight is None else weight @ onehot


def present(onehot: Tensor) -> Tensor:
    """(B, G) -> (G,): 1.0 where the batch holds a row of the group, else 0.0."""
    return (onehot.sum(-2) > 0).to(onehot.dtype)


def means(values: Tensor, onehot: Tensor, weight: Tensor | None = None) -> Tensor:
    """(B,), (B, G), (B,) -> (G,): weighted mean of each group, 0 where the group is absent."""
    total = sizes(onehot, weight)
    summed = (values if weight is None else values * weight) @ onehot
    return where(total > 0, summed / where(total > 0, total, 1.0), 0.0)


def worst(values: Tensor, onehot: Tensor, weight: Tensor | None = None) -> Tensor:
    """(B,), (B, G) -> (): largest group mean among the groups present."""
    averages = means(values, onehot, weight)
    return where(sizes(onehot, weight) > 0, averages, float("-inf")).amax(-1)


def spread(values: Tensor, onehot: Tensor) -> Tensor:
    """(B,), (B, G) -> (): largest minus smallest group mean among the groups present; 0 with fewer than two."""
    averages, here = means(values, onehot), present(onehot) > 0
    top = where(here, averages, float("-inf")).amax(-1)
    low = where(here, averages, float("inf")).amin(-1)
    return where(here.sum(-1) > 1, top - low, 0.0)
