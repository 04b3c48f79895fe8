"""One setting's numbers for every group of people: rates with intervals, how many rows, and why a rate is undefined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.counts import n_of, partition, partition_labels
from core.figures.gather import gather
from core.figures.shares import effective_rows
from core.figures.theme import EVERYONE
from core.figures.thresholds import GAP_ROWS, metric_columns
from core.inference import bootstrap_counts
from core.metrics.measure import parse
from core.types import History, RunRecord


def metric_names(n_classes: int) -> tuple[str, ...]:
    """The metrics that a table of groups shows: shares of rows, so that a count is behind each.

    >>> metric_names(3)
    ('accuracy',)
    """
    return ("accuracy", "selection_rate", "tpr", "fpr") if n_classes == 2 else ("accuracy",)


def by_group_table(
    runs: Sequence[RunRecord],
    histories: Mapping[str, History],
    *,
    metrics: Sequence[str],
    by: str = "attr",
    split: str = "test",
    classes: Sequence[str],
    attr_labels: Sequence[str],
    draws: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """The last evaluation of the runs of one setting, counts averaged over seeds.

    Args:
        metrics: names of metrics. by: "attr", "class" or "subgroup".
        draws: bootstrap worlds for the intervals of gaps and ratios, and of metrics that are no shares of rows.

    Returns:
        One row per group, then "everyone", "gap" and "ratio". Columns: group, kind ("group", "everyone", "gap",
        "ratio"), n (rows), and for every metric NAME: NAME, NAME_low, NAME_high (Wilson for shares) and NAME_undefined
        (the reason in words, else ""). Empty where nothing has been measured.
    """
    found = gather(runs, histories, split, "last", len(classes), len(attr_labels))
    measured = np.isfinite(found.counts).all(axis=(1, 2, 3))
    if not measured.any():
        return pd.DataFrame({"group": [], "kind": [], "n": []})
    first = int(np.flatnonzero(measured)[0])
    counts, n, effective = found.counts[measured].mean(0), found.n[first], found.n_effective[first]
    worlds = bootstrap_counts(counts, effective, draws, np.random.default_rng(seed))
    groups, drawn = (np.concatenate([partition(c, by), partition(c, "all")], axis=-3) for c in (counts, worlds))
    labels, rows = partition_labels(by, classes, attr_labels), n_of(n, by)
    table = pd.DataFrame({
        "group": [*labels, EVERYONE, *GAP_ROWS], "kind": ["group"] * len(labels) + [EVERYONE, *GAP_ROWS],
        "n": [*rows, *[rows.sum()] * 3],
    })
    sizes = np.append(effective_rows(counts, effective, by), effective_rows(counts, effective, "all"))
    for name in metrics:
        table = table.assign(**metric_columns(parse(name).parts[0], groups, drawn, sizes, level))
    return table
