"""The rules of other tools: how each reads 0 / 0, groups and weights, and the rows in which their numbers are kept.

Fairlearn 0.15, AIF360 0.6, Aequitas 1.1 and OxonFair 0.3, as their code of 2026 computes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.audit.audit import Audit
from core.audit.numbers import CELLS
from core.audit.sentences import clip
from core.metrics.cells import divide
from core.types import Predictions, Value

FAIRLEARN, AIF360, AEQUITAS, OXONFAIR = TOOLS = ("Fairlearn", "AIF360", "Aequitas", "OxonFair")
WEIGHTS = {FAIRLEARN: "honours them (sample_weight)",
           AIF360: "honours them in rates (instance_weights) and ignores them in the entropy indices",
           AEQUITAS: "has none: every row counts once", OXONFAIR: "has none: every row counts once"}
MASKS: dict[str, Any] = CELLS | {
    "accuracy": ([[1, 0], [0, 1]], [[1, 1], [1, 1]]),
    "error_ratio": ([[0, 1], [0, 0]], [[0, 0], [1, 0]])}  # false positives for one false negative
EMPTY = {"tpr": "0 positives", "fpr": "0 negatives", "tnr": "0 negatives", "fnr": "0 positives", "ppv": "0 selected",
         "fdr": "0 selected", "npv": "nobody rejected", "for": "nobody rejected", "error_ratio": "0 false negatives"}


@dataclass(frozen=True)
class Peer:
    """One number of one tool.

    quantity: slug of what is measured. tool, name: whose, and what it calls it. value: NaN where it prints none.
    how: its rule in words. ours: our number beside it, NaN where undefined. differs: whether it is another number.
    reasons: why, in plain sentences (`why` joins them). group: where there is one number for each group. refuses: what
    it does instead, in words.
    """

    quantity: str
    tool: str
    name: str
    value: float
    how: str
    ours: float
    differs: bool
    reasons: tuple[str, ...] = ()
    group: str = ""
    refuses: str = ""

    @property
    def why(self) -> str:
        return " ".join(self.reasons)


@dataclass(frozen=True)
class Quantity:
    """One thing to measure: our number with its uncertainty, how it is made, and every tool's numbers, the one by the
    tool's main name first."""

    slug: str
    title: str
    ours: Value
    how: str
    peers: tuple[Peer, ...]


@dataclass(frozen=True)
class Counted:
    """Counts (A, 2, 2): plain of rows, mass of weights; sides (2, 2, 2): everyone but the reference, the reference."""

    rows: Predictions
    model: int
    found: Audit
    plain: np.ndarray
    mass: np.ndarray
    worlds: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        return self.rows.groups.labels

    @property
    def reference(self) -> str:
        return self.names[self.rows.groups.reference]

    def sides(self, counts: np.ndarray) -> np.ndarray:
        own = counts[self.rows.groups.reference]
        return np.stack([counts.sum(0) - own if len(counts) > 1 else np.zeros_like(own), own])

    def ours(self, key: str) -> Value:
        return self.found.reductions[key].value


def rate_of(counts: np.ndarray, slug: str, empty: float = math.nan, least: float = 0.0) -> np.ndarray:
    """(..., 2, 2) -> (...): a rate by MASKS. empty: what 0 / 0 gives. least: the denominator is at least this."""
    top, under = ((counts * np.asarray(mask, dtype=np.float64)).sum((-2, -1)) for mask in MASKS[slug])
    return top / np.maximum(under, least) if least else np.where(under > 0, divide(top, under), empty)


def fairlearn(t: Counted, slug: str) -> np.ndarray:
    """(A,) a rate of each group; 0 / 0 is 0, as in scikit-learn's normalised confusion matrix."""
    return rate_of(t.mass, slug, 0.0)


def oxonfair(t: Counted, slug: str) -> np.ndarray:
    """(A,) a rate of each group over rows; the denominator is at least 1."""
    return rate_of(t.plain, slug, least=1.0)


def aif360(t: Counted, slug: str) -> tuple[float, float]:
    """The rate of everyone outside the reference group, pooled, and of the reference group."""
    sides, empty = t.sides(t.mass), math.nan if slug in ("selection_rate", "tpr", "fpr") else 0.0
    found = 1 - rate_of(sides, "accuracy", 0.0) if slug == "error_rate" else rate_of(sides, slug, empty)
    return float(found[0]), float(found[1])


def over(a: float, b: float) -> float:
    """a / b as floating point has it: 0 / 0 is NaN, a / 0 infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(a) / np.float64(b))


def gap_of(v: np.ndarray) -> float:
    """Largest minus smallest."""
    return float(v.max() - v.min())


def ratio_of(v: np.ndarray) -> float:
    """Smallest over largest; NaN where both are 0."""
    return over(v.min(), v.max())


def to_overall(t: Counted, slug: str, ratio: bool = False) -> float:
    """Fairlearn's to_overall: the largest distance from everyone's rate, or the smallest quotient (below 1)."""
    values, everyone = fairlearn(t, slug), float(rate_of(t.mass.sum(0), slug, 0.0))
    if not ratio:
        return float(np.abs(values - everyone).max())
    parts = [over(v, everyone) for v in values]
    kept = [1 / r if r > 1 else r for r in parts if not math.isnan(r)]
    return min(kept, default=math.nan)


def mean_gap(v: np.ndarray) -> float:
    """OxonFair's .diff: the mean over all pairs; one group gives 0."""
    return float(np.abs(v[:, None] - v).sum() / 2 / max(1.0, len(v) * (len(v) - 1) / 2))


def mean_ratio(v: np.ndarray) -> float:
    """OxonFair's .ratio: the mean over all pairs, where 0 / 0 counts as 1; one group gives NaN."""
    high, low = np.maximum(v[:, None], v), np.minimum(v[:, None], v)
    each = np.where(high > 0, divide(low, high), 1.0)
    np.fill_diagonal(each, 0.0)
    return over(each.sum(), len(v) * (len(v) - 1))


def least_ratio(v: np.ndarray) -> float:
    """OxonFair's .min_ratio: smallest over largest; 0 where both are 0."""
    return float(v.min() / max(1e-12, v.max()))


class PeerRows:
    """The rows of one quantity, each with the reasons that hold for its tool and form."""

    def __init__(self, t: Counted, quantity: str, slugs: Sequence[str]) -> None:
        self.t, self.quantity, self.rows = t, quantity, list[Peer]()
        self.empty = {s: np.flatnonzero(~np.isfinite(rate_of(t.plain, s))) for s in slugs}

    def add(self, tool: str, name: str, value: float, how: str, ours: float, standing: str | Sequence[str] = (),
            special: str = "", group: str = "", refuses: str = "", general: bool = True) -> None:
        """standing: why this form differs from our number, left out where we have none and the tool's reasons say why;
        special: what happens in this table; general: whether the tool's reasons are added."""
        same = (math.isnan(value) and math.isnan(ours)) or math.isclose(value, ours, rel_tol=1e-9, abs_tol=1e-12)
        differs = not same or bool(refuses)
        always = [standing] if isinstance(standing, str) else [*standing]
        own = self._reasons(tool, value) if general else []
        said = [r for r in ([] if math.isnan(ours) and own else always) + [special] + own if r]
        reasons = tuple(said or ["Its rule for this table is another one."]) if differs else ()
        self.rows.append(Peer(self.quantity, tool, name, value, how, ours, differs, reasons, group, refuses))

    def _reasons(self, tool: str, value: float) -> list[str]:
        out, t = [], self.t
        if len(t.names) == 1:
            return [f"There is one group: {tool} prints {_say(value)} where there is nothing to compare."]
        for slug, groups in self.empty.items():
            if len(groups) and tool in (FAIRLEARN, OXONFAIR):
                out.append(f"{_listed(t.names[g] for g in groups)}: {EMPTY[slug]}; {tool} takes "
                           + ("at least 1 for the denominator" if slug == "error_ratio" else "0 for the rate")
                           + ", ours calls it undefined.")
            elif len(groups) and tool == AIF360:
                at = t.rows.groups.reference
                alone = at in groups or len(groups) == len(t.names) - 1  # a whole side is empty
                taken = "AIF360 pools such groups with others" if not alone else \
                    "AIF360 divides 0 by 0" if slug in ("tpr", "fpr") else "AIF360 takes 0 for such a rate"
                out.append(f"{_listed(t.names[g] for g in groups)}: {EMPTY[slug]}; {taken}, ours calls it undefined.")
        if t.rows.w is not None and tool in (AEQUITAS, OXONFAIR):
            out.append(f"{tool} has no weights: every row counts once.")
        return out


def _say(value: float) -> str:
    return "nan" if math.isnan(value) else f"{value:.3g}"


def _listed(names: Iterable[str], longest: int = 3) -> str:
    every = list(names)
    more = f" and {len(every) - longest} more" if len(every) > longest else ""
    return ", ".join(clip(name) for name in every[:longest]) + more
