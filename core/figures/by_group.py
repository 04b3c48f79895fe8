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


def extremes_in_words(
    runs: Sequence[RunRecord],
    histories: Mapping[str, History],
    measure: str,
    *,
    split: str = "test",
    min_n: int = 0,
    classes: Sequence[str],
    attr_labels: Sequence[str],
) -> str:
    """Of which groups a measure over groups speaks, with their rows; seeds of one setting, counts averaged.

    Returns:
        "worst: yes, women (17 rows)" or "between women (120 rows) and men (90 rows)"; "" where the measure is over
        everyone, or undefined, or nothing has been measured.
    """
    key, found = parse(measure), gather(runs, histories, split, "last", len(classes), len(attr_labels))
    measured = np.isfinite(found.counts).all(axis=(1, 2, 3))
    if not key.how or not measured.any():
        return ""
    counts, n = found.counts[measured].mean(0), found.n[int(np.flatnonzero(measured)[0])]
    if not np.isfinite(key.of(counts, min_n, n)):
        return ""
    labels, rows = partition_labels(key.by, classes, attr_labels), n_of(n, key.by)
    named = [f"{labels[g]} ({rows[g]:,.0f} {'row' if rows[g] == 1 else 'rows'})"
             for g in key.extremes(counts, min_n, n)]
    if len(named) == 1:
        return f"worst: {named[0]}" if key.how == "worst" else f"farthest: {named[0]}"
    return f"between {named[0]} and {named[1]}" if len(named) == 2 and named[0] != named[1] else ""


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
