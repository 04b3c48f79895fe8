"""How long measuring takes: counts, bootstrap worlds, a front's table, an exact threshold front, a rule's table.

Medians of seven repeats on made-up data of Adult's size; Fairlearn's MetricFrame on the same rows in the same run.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fairlearn.metrics import MetricFrame, false_positive_rate, selection_rate, true_positive_rate  # noqa: E402
from sklearn.metrics import accuracy_score  # noqa: E402

from core.counts import count_confusion, count_thresholds  # noqa: E402
from core.figures.thresholds import rule_table  # noqa: E402
from core.fronts import group_threshold_front  # noqa: E402
from core.inference import bootstrap_counts  # noqa: E402
from core.metrics.measure import parse  # noqa: E402

KEYS = ("accuracy.worst", "selection_rate.gap", "tpr.gap", "fpr.gap")
GROUPS = 5


def median_ms(work, repeats: int = 7) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def rows(n: int):
    rng = np.random.default_rng(0)
    y, attr = rng.integers(0, 2, n), rng.integers(0, GROUPS, n)
    score = np.clip(rng.normal(0.35 + 0.3 * y + 0.05 * attr / GROUPS, 0.2), 0, 1)
    return score, y, attr


def main() -> None:
    score, y, attr = rows(45_000)
    pred = (score >= 0.5).astype(int)
    measures = [parse(k) for k in KEYS]
    rng = np.random.default_rng(1)

    def measured():
        counts = count_confusion(pred, y, attr, 2, GROUPS)
        return [m.of(counts) for m in measures]

    counts = count_confusion(pred, y, attr, 2, GROUPS)
    weight = counts.sum((-2, -1))

    def bootstrapped():
        worlds = bootstrap_counts(counts, weight, 1000, rng)
        return [m.of(worlds) for m in measures]

    named = {"accuracy": accuracy_score, "selection": selection_rate, "tpr": true_positive_rate,
             "fpr": false_positive_rate}  # fmt: skip

    def peer():
        frame = MetricFrame(metrics=named, y_true=y, y_pred=pred, sensitive_features=attr)
        return frame.by_group, frame.difference()

    ours, theirs, worlds = median_ms(measured), median_ms(peer, 3), median_ms(bootstrapped)
    print(f"45,000 rows, {GROUPS} groups, 4 metrics: {ours:.1f} ms; "
          f"MetricFrame {theirs:.0f} ms, ratio {theirs / ours:.0f}")  # fmt: skip
    print(f"1,000 bootstrap worlds of 4 gaps: {worlds:.1f} ms; one MetricFrame {theirs:.0f} ms, "
          f"ratio per replicate {1000 * theirs / worlds:.0f}")  # fmt: skip
    print(f"exact sweep at all distinct scores: {median_ms(lambda: count_thresholds(score, y, attr, GROUPS)):.0f} ms")
    front = median_ms(lambda: group_threshold_front(score, y, attr, GROUPS), 3)
    print(f"exact demographic-parity front over group thresholds: {front:.0f} ms")
    labels = tuple("abcde")
    small = slice(0, 12_000)
    table = median_ms(lambda: rule_table(score[small], y[small], attr[small], np.full(5, 0.5), attr_labels=labels))
    print(f"table of one rule on 12,000 rows, intervals included: {table:.1f} ms")


if __name__ == "__main__":
    main()
