"""A measure is a metric with a reduction over the groups of a partition, named by a short key.

Keys: METRIC[.REDUCTION][@PARTITION]. "accuracy" is over everyone, "tpr.gap" between attribute groups,
"accuracy.worst@subgroup" the worst class x group, "equalized_odds.gap" the larger of two gaps. A metric of two classes
answers for several as "tpr[2]" or "tpr[word of a class]", that class against all others, and as "tpr[macro]", the mean
over classes. "fped" and "fned" are the false positive and negative equality differences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core import registry
from core.counts import PARTITIONS, n_of, partition
from core.metrics.reduce import COMPARISONS, REDUCTIONS, extremes, reduce
from core.metrics.words import CRITERIA, measure_help, measure_title
from core.types import BadInput, Metric

KEY = re.compile(r"([a-z][a-z0-9_]*)(?:\[(.+)\])?(?:\.([a-z_]+))?(?:@([a-z]+))?", re.S)
NAMED = {"fped": "fpr.sum_to_overall", "fned": "fnr.sum_to_overall"}
EQUALIZED_ODDS = ("gap", "ratio", "mean", "sum")
COMBINE: Mapping[str, Callable[..., np.ndarray]] = {"max": np.max, "min": np.min, "mean": np.mean, "sum": np.sum}


@dataclass(frozen=True)
class Measure:
    """One number for a model, computed from counts (..., A, C, C).

    key: the canonical name; parts: the metrics whose reductions are combined (two for equalized odds);
    how: the reduction, "" for the value over everyone; by: the partition; combine: "max", "min", "mean" or "sum" of
    the parts; higher_is_better: True, False or None (neither); bounds: smallest and largest possible value.
    """

    key: str
    title: str
    help: str
    parts: tuple[Metric, ...]
    how: str
    by: str
    higher_is_better: bool | None
    bounds: tuple[float, float]
    equation: str
    combine: str = "max"

    def of(self, counts: np.ndarray, min_n: int = 0, n: np.ndarray | None = None, reference: int = 0) -> np.ndarray:
        """Counts (..., A, C, C) -> (...). NaN where undefined.

        Args:
            min_n: groups with fewer rows are left out of "worst" (and of nothing else).
            n: (..., C, A) unweighted cell sizes; None counts the tables themselves.
            reference: number of the reference group, for "to_reference".
        """
        each = [self._one(metric, counts, min_n, n, reference) for metric in self.parts]
        if len(each) == 1:
            return each[0]
        return COMBINE[self.combine](np.stack(each), axis=0)

    def values(self, counts: np.ndarray) -> np.ndarray:
        """Counts (..., A, C, C) -> (..., G): the first metric in every group of the partition."""
        return self.parts[0].of(partition(counts, self.by))

    def extremes(self, counts: np.ndarray, min_n: int = 0, n: np.ndarray | None = None,
                 reference: int = 0) -> tuple[int, ...]:
        """For one table (A, C, C): numbers of the groups the value speaks of (the worst; both ends of a gap)."""
        if not self.how:
            return ()
        sizes = [float(self._one(metric, counts, min_n, n, reference)) for metric in self.parts]
        metric = self.parts[int(np.argmin(sizes) if self.combine == "min" else np.argmax(sizes))]
        values, overall = self._shown(metric, counts, min_n, n), float(_overall(metric, counts))
        return extremes(values, self.how, metric.higher_is_better, reference, overall)

    def left_out(self, counts: np.ndarray, min_n: int = 0, n: np.ndarray | None = None) -> dict[int, str]:
        """For one table (A, C, C): group number -> why it does not enter the value ("0 positives", "7 rows")."""
        if not self.how:
            return {}
        few = _sizes(counts, n, self.by)
        reasons: dict[int, str] = {}
        for metric in self.parts:
            undefined = ~np.isfinite(metric.of(partition(counts, self.by)))
            reasons |= {int(g): metric.undefined if few[g] > 0 else "0 rows" for g in np.flatnonzero(undefined)}
        if self.how == "worst":
            small = np.flatnonzero((few < min_n) & (few > 0))
            reasons |= {int(g): f"{few[g]:.0f} rows" for g in small if int(g) not in reasons}
        return dict(sorted(reasons.items()))

    def reason(self, counts: np.ndarray, min_n: int = 0, n: np.ndarray | None = None) -> str | None:
        """For one table (A, C, C): why the value is undefined, in words; None where it is defined."""
        if np.isfinite(self.of(counts, min_n, n)):
            return None
        if not np.isfinite(counts).all():
            return "the run diverged"
        groups = partition(counts, self.by).shape[-3]
        if groups == 1 and self.how in COMPARISONS:
            return "one group, nothing to compare"
        out = self.left_out(counts, min_n, n)
        if not self.how:
            return self.parts[0].undefined
        if groups - len(out) >= (2 if self.how in COMPARISONS else 1):
            return "nobody selected" if self.parts[0].name == "selection_rate" else "the rate is 0 in every group"
        return ", ".join(dict.fromkeys(out.values()))

    def _shown(self, metric: Metric, counts: np.ndarray, min_n: int, n: np.ndarray | None) -> np.ndarray:
        values = metric.of(partition(counts, self.by))
        if self.how == "worst" and min_n > 0:
            values = np.where(_sizes(counts, n, self.by) < min_n, np.nan, values)
        return values

    def _one(self, metric: Metric, counts: np.ndarray, min_n: int, n: np.ndarray | None, reference: int) -> np.ndarray:
        if not self.how:
            return _overall(metric, counts)
        values = self._shown(metric, counts, min_n, n)
        overall = _overall(metric, counts) if self.how in ("to_overall", "sum_to_overall") else None
        return reduce(values, self.how, metric.higher_is_better, reference, overall)


def parse(key: str, classes: Sequence[str] = ()) -> Measure:
    """The measure of a key, or BadInput that says which keys exist.

    Args:
        classes: the words of the classes, for keys as "tpr[word]"; numbers of classes are always understood.

    >>> parse("accuracy.worst@subgroup").title
    'Worst-group accuracy (class × group)'
    >>> parse("demographic_parity.gap").key
    'selection_rate.gap'
    """
    found = KEY.fullmatch(NAMED.get(key, key)) if isinstance(key, str) else None
    if not found:
        raise BadInput("Measure", repr(key), "METRIC, METRIC.REDUCTION or METRIC.REDUCTION@PARTITION",
                       "use accuracy.worst@subgroup, for example")
    name, one, how, by = found[1], found[2], found[3] or "", found[4] or ("attr" if found[3] else "all")
    if by not in PARTITIONS or (found[4] and (not how or by == "all")):
        raise BadInput("Measure", repr(key), "a reduction over attr, subgroup or class", "add .worst before the @")
    if name == "equalized_odds" and one is None:
        return _equalized_odds(key, how, by)
    name = next((metric for metric, words in CRITERIA.items() if words.replace(" ", "_").lower() == name), name)
    metric = _counted(key, name)
    if one is not None:
        metric = _one_against_rest(metric, one, classes)
    if how and how not in REDUCTIONS:
        raise BadInput("Measure", repr(key), "a reduction among " + ", ".join(REDUCTIONS), f"use {name}.gap")
    if how == "worst" and metric.higher_is_better is None:
        raise BadInput("Measure", repr(key), "a metric with a better direction", f"use {name}.gap")
    if how == "power_mean" and metric.bounds[0] < 0:
        raise BadInput("Measure", repr(key), "a metric that is never below 0", f"use {metric.name}.mean")
    short = metric.name + (f".{how}" if how else "") + (f"@{by}" if how and by != "attr" else "")
    return Measure(short, measure_title(metric, how, by), measure_help(metric, how, by), (metric,), how, by,
                   _direction(metric, how), _bounds(metric, how), metric.equation)


def measures(n_classes: int, directed: bool = False) -> list[str]:
    """Keys worth offering for a task of `n_classes`, values over everyone first, then worst groups, gaps and ratios.

    Args:
        directed: True leaves out those of which neither more nor less is better (no axis of a trade-off).
    """
    known = [m for m in registry.metrics().values() if (n_classes == 2 or not m.binary) and is_about_models(m)
             and (n_classes > 2 or not m.name.endswith("_macro"))]
    aimed = [m for m in known if m.higher_is_better is not None]
    rows = [m for m in aimed if _is_row_wise(m)]
    keys = [m.name for m in (aimed if directed else known)]
    keys += [f"{m.name}.worst" for m in aimed]
    keys += [f"{m.name}.worst@{by}" for m in rows for by in ("subgroup", "class")]
    keys += [f"{m.name}.gap" for m in known] + [f"{m.name}.gap@class" for m in rows]
    if n_classes == 2:
        keys += [f"equalized_odds.{how}" for how in ("gap", "mean")]
        keys += [f"{m.name}.ratio" for m in known if m.bounds[0] >= 0] + ["equalized_odds.ratio"]
    return keys


def titles(keys: Sequence[str]) -> Mapping[str, str]:
    """Key -> title in words, for a list to choose from."""
    return {key: parse(key).title for key in keys}


def collapse(counts: np.ndarray, c: int) -> np.ndarray:
    """Counts (..., C, C) -> (..., 2, 2): class c against all others, c being the positive one."""
    n = counts.shape[-1]
    if not 0 <= c < n:
        raise BadInput("Class", repr(c), f"a number from 0 to {n - 1}", "choose a class of the data set")
    chosen = np.arange(n) == c
    side = np.stack([~chosen, chosen]).astype(np.float64)
    return np.einsum("ic,...cd,jd->...ij", side, counts, side)


def _counted(key: str, name: str) -> Metric:
    """A metric over counts; those over scores or moments need more than counts to be computed."""
    metric = registry.metric(name)
    if metric.on != "counts":
        raise BadInput("Measure", repr(key), "a metric over counts: " + ", ".join(registry.metrics()), "use accuracy")
    return metric


def _one_against_rest(metric: Metric, one: str, classes: Sequence[str]) -> Metric:
    """The metric of one class against the rest; of "macro", the mean over classes (NaN where one is undefined)."""
    if one in classes:
        chosen = list(classes).index(one)
    elif one == "macro":
        def mean(counts: np.ndarray) -> np.ndarray:
            return np.mean([metric.of(collapse(counts, c)) for c in range(counts.shape[-1])], axis=0)
        return replace(metric, name=f"{metric.name}[macro]", title=f"{metric.title}, mean over classes", of=mean,
                       binary=False)
    elif one.isascii() and one.isdigit() and (not classes or int(one) < len(classes)):
        chosen = int(one)
    else:
        raise BadInput("Class", repr(one), "a number or macro" if not classes else ", ".join(classes),
                       f"use {metric.name}[0]")
    word = classes[chosen] if classes else one
    return replace(metric, name=f"{metric.name}[{one}]", title=f"{metric.title} of class {word}", binary=False,
                   of=lambda counts: metric.of(collapse(counts, chosen)))


def _equalized_odds(key: str, how: str, by: str) -> Measure:
    if how not in EQUALIZED_ODDS or by != "attr":
        allowed = ", ".join(f"equalized_odds.{h}" for h in EQUALIZED_ODDS)
        raise BadInput("Measure", repr(key), allowed, "use equalized_odds.gap")
    halves = (registry.metric("tpr"), registry.metric("fpr"))
    each = "ratio" if how == "ratio" else "gap"
    combine = {"gap": "max", "ratio": "min", "mean": "mean", "sum": "sum"}[how]
    word = {"max": "the larger", "min": "the smaller", "mean": "the mean", "sum": "the sum"}[combine]
    return Measure(
        key, f"Equalized odds {each if how in ('gap', 'ratio') else f'gap ({how})'}",
        f"How differently groups with the same true label are treated: {word} of the {each}s of true and of false "
        "positive rates between groups. Not computable where fewer than two groups have positives, or negatives.",
        halves, each, by, how == "ratio", (0.0, 2.0 if how == "sum" else 1.0),
        f"{combine}({each} of TPR, {each} of FPR)", combine)


def _direction(metric: Metric, how: str) -> bool | None:
    return metric.higher_is_better if how in ("", "worst", "mean", "power_mean") else how == "ratio"


def _bounds(metric: Metric, how: str) -> tuple[float, float]:
    low, high = metric.bounds
    if how in ("", "worst", "mean", "power_mean"):
        return metric.bounds
    if how == "sum_to_overall":
        return 0.0, np.inf  # grows with the number of groups
    if how == "ratio":
        return (0.0, 1.0) if low >= 0 else (-np.inf, np.inf)
    return 0.0, high - low


def is_about_models(metric: Metric) -> bool:
    """False for what describes the data alone: swapping the predicted classes does not change it."""
    table = np.array([[[5.0, 3.0], [2.0, 7.0]]])
    return not np.allclose(metric.of(table), metric.of(table[..., ::-1]))


def _is_row_wise(metric: Metric) -> bool:
    """True where the metric means something among rows of one true class."""
    tables = np.array([[[5.0, 3.0], [0.0, 0.0]], [[5.0, 0.0], [0.0, 0.0]]])
    return not metric.binary and bool(np.isfinite(metric.of(tables)).all())


def _overall(metric: Metric, counts: np.ndarray) -> np.ndarray:
    """Counts (..., A, C, C) -> (...): the metric over all rows pooled."""
    return metric.of(partition(counts, "all"))[..., 0]


def _sizes(counts: np.ndarray, n: np.ndarray | None, by: str) -> np.ndarray:
    cells = counts.sum(-1).swapaxes(-1, -2) if n is None else np.asarray(n)
    return n_of(cells, by)
