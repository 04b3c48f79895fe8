"""What the measurement core promises, against the peers in the same run: equal results, then ratios of medians.

Fairlearn is always measured. OxonFair is measured where it is installed (`pip install --no-deps oxonfair`); its fit of
five groups takes minutes, so it runs once.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fairlearn.metrics import (  # noqa: E402
    MetricFrame,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from sklearn.metrics import accuracy_score  # noqa: E402

from core import registry  # noqa: E402
from core.counts import count_confusion, partition  # noqa: E402
from core.fronts import group_threshold_front  # noqa: E402
from core.inference import bootstrap_counts  # noqa: E402
from core.metrics.measure import parse  # noqa: E402

NAMED = {"accuracy": accuracy_score, "selection_rate": selection_rate, "tpr": true_positive_rate,
         "fpr": false_positive_rate}  # fmt: skip


def seconds(work, repeats: int) -> float:
    """Median of `repeats`, after one run that warms up."""
    times = []
    for _ in range(repeats + (repeats > 1)):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times[-repeats:])


def rows(n: int, groups: int):
    rng = np.random.default_rng(0)
    y, attr = rng.integers(0, 2, n), rng.integers(0, groups, n)
    score = np.clip(rng.normal(0.35 + 0.3 * y + 0.05 * attr / groups, 0.2), 0, 1).astype(np.float32)
    return score, y, attr


def by_group(pred, y, attr, groups: int) -> dict[str, np.ndarray]:
    counts = partition(count_confusion(pred, y, attr, 2, groups), "attr")
    return {name: registry.metric(name).of(counts) for name in NAMED}


def peer_frame(pred, y, attr):
    frame = MetricFrame(metrics=NAMED, y_true=y, y_pred=pred, sensitive_features=attr)
    return frame.by_group, frame.difference()


def million() -> None:
    score, y, attr = rows(1_000_000, 5)
    pred = (score >= 0.5).astype(int)
    ours, theirs = by_group(pred, y, attr, 5), peer_frame(pred, y, attr)[0]
    off = max(np.abs(ours[name] - theirs[name].to_numpy(float)).max() for name in NAMED)
    a, b = seconds(lambda: by_group(pred, y, attr, 5), 5), seconds(lambda: peer_frame(pred, y, attr), 1)
    print(f"1,000,000 rows, 5 groups, 4 metrics: {a:.3f} s; MetricFrame {b:.1f} s, ratio {b / a:.0f}; "
          f"largest difference {off:.1g}")


def worlds() -> None:
    score, y, attr = rows(45_000, 5)
    pred = (score >= 0.5).astype(int)
    counts, rng = count_confusion(pred, y, attr, 2, 5), np.random.default_rng(1)
    measures = [parse(name if not how else f"{name}.{how}") for name in registry.metrics() for how in ("", "gap")]

    def replicates():
        drawn = bootstrap_counts(counts, None, 1000, rng)
        return [m.of(drawn) for m in measures] + [m.values(drawn) for m in measures[::2]]

    a, b = seconds(replicates, 5), seconds(lambda: peer_frame(pred, y, attr), 3)
    print(f"1,000 replicates of {len(measures) // 2} metrics in 5 groups, their gaps and everyone: {1000 * a:.0f} ms; "
          f"one MetricFrame of 4 metrics {1000 * b:.0f} ms, ratio per replicate {1000 * b / a:,.0f}")


def fronts() -> None:
    score, y, attr = rows(45_000, 5)
    work = lambda: group_threshold_front(score, y, attr, 5)  # noqa: E731
    ours, a = work(), seconds(work, 5)
    print(f"exact demographic-parity front, 5 groups, 45,000 rows: {1000 * a:.0f} ms, {len(ours.gap)} points")
    theirs = oxonfair_front(score, y, attr)
    if theirs is None:
        print("  OxonFair is not installed: not compared")
        return
    took, gap, accuracy = theirs
    exact = group_threshold_front(score, y, attr, 5, resolution=0)
    best = np.array([exact.value[exact.gap <= g + 1e-9].max() for g in gap])
    print(f"  OxonFair: {took:.0f} s, {len(gap)} points, ratio {took / a:,.0f}; its accuracy minus that of our "
          f"exact front at the same gaps: at most {(accuracy - best).max():+.5f}")


def oxonfair_front(score, y, attr):
    """(seconds, gaps, accuracies) of OxonFair's own front, or None where it is not installed."""
    try:
        from oxonfair import FairPredictor
        from oxonfair import group_metrics as gm
    except ImportError:
        return None
    data = {"data": np.stack([1 - score, score], axis=-1), "target": y, "groups": attr}
    start = time.perf_counter()
    fair = FairPredictor(None, data)
    fair.fit(gm.accuracy, gm.demographic_parity.max_diff if hasattr(gm.demographic_parity, "max_diff")
             else gm.demographic_parity, 0.02)
    took = time.perf_counter() - start
    value, gap = np.asarray(fair.frontier[0])
    return took, gap, value


def growth() -> None:
    told, first = [], 0.0
    for groups in (10, 50, 200):
        score, y, attr = rows(200_000, groups)
        pred = (score >= 0.5).astype(int)
        counts, rng = count_confusion(pred, y, attr, 2, groups), np.random.default_rng(1)
        draw = parse("tpr.gap")
        took = (seconds(lambda s=score, a=attr, y=y, g=groups: group_threshold_front(s, y, a, g), 3),
                seconds(lambda p=pred, a=attr, y=y, g=groups: by_group(p, y, a, g), 5),
                seconds(lambda c=counts, r=rng, d=draw: d.of(bootstrap_counts(c, None, 1000, r)), 3))
        first = first or took
        told.append(f"{groups} groups: front {1000 * took[0]:.0f} ms ({took[0] / first[0]:.1f}x), metrics "
                    f"{1000 * took[1]:.1f} ms ({took[1] / first[1]:.1f}x), 1,000 worlds {1000 * took[2]:.0f} ms "
                    f"({took[2] / first[2]:.1f}x)")
    print("200,000 rows, " + "; ".join(told) + " (linear would be 5x and 20x)")


def memory(n: int = 10_000_000) -> None:
    """Peak of a process of its own that counts, measures and draws the front."""
    if "--memory" in sys.argv:
        score, y, attr = rows(n, 5)
        by_group((score >= 0.5).astype(np.int8), y, attr, 5)
        group_threshold_front(score, y, attr, 5)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
        return
    said = subprocess.run([sys.executable, __file__, "--memory"], capture_output=True, text=True, check=True)
    print(f"10,000,000 rows, counts, metrics and front: peak {float(said.stdout.split()[-1]):.1f} GiB with the rows")


if __name__ == "__main__":
    if "--memory" in sys.argv:
        memory()
    else:
        for part in (million, worlds, fronts, growth, memory):
            part()
