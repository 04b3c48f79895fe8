"""An audit in plain sentences: natural frequencies first, and whether chance explains the difference."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from core.audit.audit import Audit, GroupRow
from core.types import Predictions, Value

RATES = {  # slug -> the people it speaks of, what happens to them
    "tpr": ("Of 100 who are truly {positive}", "predicted {positive}"),
    "fpr": ("Of 100 who are not {positive}", "wrongly predicted {positive}"),
    "selection_rate": ("Of 100 people", "predicted {positive}"),
    "accuracy": ("Of 100 people", "predicted right"),
}
LONGEST = 60


def overview(rows: Predictions, found: Audit, model: int = 0) -> list[str]:
    """What stands first: one sentence a rate, then what could not be told. Deterministic."""
    said = [f"{found.n_used:,} of {found.n:,} rows are counted, in {len(found.groups):,} "
            f"group{'s' * (len(found.groups) != 1)}."]
    left_out = [f"{n:,} {reason}" for reason, n in found.excluded if n]
    said += [f"Left out: {', '.join(left_out)}."] if left_out else []
    slugs = [s for s in RATES if any(s in g.metrics for g in found.groups)]
    if len(found.groups) == 1:
        return [*said, "There is one group, nothing to compare."]
    p_values = adjusted([_p_value(found, slug) for slug in slugs])
    said += [_compared(found, slug, p) for slug, p in zip(slugs, p_values, strict=True)]
    small = [clip(g.label) for g in found.groups if g.small]
    if small:
        shown = ", ".join(small[:3]) + (f" and {len(small) - 3} more" if len(small) > 3 else "")
        said.append(f"Too few rows to judge: {shown}.")
    return [s for s in said if s]


def clip(words: str, longest: int = LONGEST) -> str:
    """Words on one line, shortened."""
    line = " ".join(str(words).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def adjusted(p: list[float]) -> list[float]:
    """Holm's adjustment of p-values; NaN stays. Source: Holm 1979.

    >>> adjusted([0.01, 0.04])
    [0.02, 0.04]
    """
    order = [k for k in np.argsort(p).tolist() if np.isfinite(p[k])]
    out, largest = [float("nan")] * len(p), 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, p[k] * (len(order) - rank)))
        out[k] = largest
    return out


def _ends(found: Audit, slug: str) -> tuple[GroupRow, GroupRow, int] | None:
    """The groups with the lowest and highest rate among those with enough rows, and how many were looked at."""
    known = [g for g in found.groups if not g.small and g.metrics[slug].undefined is None]
    if len(known) < 2:
        return None
    ranked = sorted(known, key=lambda g: g.metrics[slug].value)
    return ranked[0], ranked[-1], len(known)


def _p_value(found: Audit, slug: str) -> float:
    """Two proportions at effective rows, times the pairs among which the largest difference was picked. Where persons
    have several rows, the effective rows are those that give the width of the persons' interval."""
    ends = _ends(found, slug)
    if ends is None:
        return float("nan")
    a, b, k = ends[0].metrics[slug], ends[1].metrics[slug], ends[2]
    n, m = _rows(a, b, found.level), _rows(b, a, found.level)
    pooled = (a.value * n + b.value * m) / (n + m)
    spread = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    if spread == 0:
        return 1.0
    return min(1.0, 2 * (1 - NormalDist().cdf(abs(a.value - b.value) / spread)) * k * (k - 1) / 2)


def _rows(value: Value, other: Value, level: float) -> float:
    """Rows behind a rate. With persons drawn again, as many as would give its interval's width; where all persons are
    alike there is no width, and the rows count as much as those of the other rate; without either, as one row."""
    if "persons" not in value.how:
        return value.n
    worth = [x for x in (_worth(value, level), _worth(other, level)) if np.isfinite(x)]
    return float(np.clip(value.n * (worth[0] if worth else 0.0), 1.0, value.n))


def _worth(value: Value, level: float) -> float:
    """What share of a full row each row of a person is worth; NaN without a width."""
    spread = (value.high - value.low) / 2 / NormalDist().inv_cdf((1 + level) / 2)
    return value.value * (1 - value.value) / spread**2 / value.n if spread > 0 else float("nan")


def _compared(found: Audit, slug: str, p: float) -> str:
    who, what = (words.format(positive=clip(found.positive or "selected", 30)) for words in RATES[slug])
    ends = _ends(found, slug)
    if ends is None:
        return f"{who}: fewer than two groups have enough rows to compare how many are {what}."
    low, high = ends[0], ends[1]
    a, b = (_hundred(g.metrics[slug]) for g in (low, high))
    if a == b:
        return f"{who}, {a} are {what} in every group compared."
    sure = p < 1 - found.level
    chance = "the difference is larger than chance explains" if sure else "chance alone could make this difference"
    return f"{who}, {a} are {what} among {clip(low.label)} and {b} among {clip(high.label)}; {chance}."


def _hundred(value: Value) -> str:
    number = 100 * value.value
    return f"{number:.0f}" if 1 <= number <= 99 or number in (0.0, 100.0) else f"{number:.1f}"
