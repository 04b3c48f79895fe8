"""The named criteria of fairness against bounds that a person sets: verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.audit.audit import Audit
from core.types import BadInput, Value

TITLES = {
    "demographic_parity": "Demographic parity", "equal_opportunity": "Equal opportunity",
    "predictive_equality": "Predictive equality", "predictive_parity": "Predictive parity",
    "accuracy_parity": "Accuracy parity", "equalized_odds": "Equalized odds",
}  # fmt: skip
WORDS = {"gap": "gap", "ratio": "ratio", "mean": "mean gap", "worst": "worst group", "to_overall": "gap to everyone",
         "to_reference": "gap to the reference group"}
DEFAULT_BOUNDS = {f"{name}.gap": 0.1 for name in TITLES}
VERDICTS = ("within", "beyond", "cannot tell", "not computable")


@dataclass(frozen=True)
class Verdict:
    """One criterion: key, title in words, its value, the bound, the verdict (one of VERDICTS), its reason in words,
    the groups it speaks of and those left out."""

    key: str
    title: str
    value: Value
    bound: float
    verdict: str
    reason: str
    groups: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


def judge(found: Audit, bounds: Mapping[str, float] | None = None) -> tuple[Verdict, ...]:
    """Verdicts of reductions such as "demographic_parity.gap" (at most the bound) and ".ratio" (at least the bound).

    Args:
        bounds: key -> bound; None takes 0.1 for the gap of every named criterion that the audit has.

    Returns:
        One verdict a key: "within" or "beyond" when the whole interval is on one side, else "cannot tell".
    """
    chosen = bounds if bounds is not None else {k: b for k, b in DEFAULT_BOUNDS.items() if k in found.reductions}
    return tuple(_verdict(found, key, float(bound)) for key, bound in chosen.items())


def _verdict(found: Audit, key: str, bound: float) -> Verdict:
    if key not in found.reductions:
        raise BadInput("Criterion", repr(key), ", ".join(list(found.reductions)[-12:]), "use demographic_parity.gap")
    if not np.isfinite(bound):
        raise BadInput(f"Bound of {key}", f"{bound}", "a finite number", "use 0.1")
    reduction = found.reductions[key]
    value, (name, how) = reduction.value, key.rsplit(".", 1)
    title = f"{TITLES.get(name, name.replace('_', ' '))} {WORDS.get(how, how)}"
    if value.undefined:
        return Verdict(key, title, value, bound, "not computable", value.undefined, (), reduction.left_out)
    low, high = (value.low, value.high) if np.isfinite([value.low, value.high]).all() else (-np.inf, np.inf)
    at_least = how in ("ratio", "worst")
    inside, outside = (low >= bound, high < bound) if at_least else (high <= bound, low > bound)
    verdict = "within" if inside else "beyond" if outside else "cannot tell"
    reason = {"within": "the whole interval keeps the bound", "beyond": "the whole interval breaks the bound",
              "cannot tell": "the interval covers the bound"}[verdict]
    if verdict == "cannot tell" and np.isinf(low):
        reason = "no interval"
    return Verdict(key, title, value, bound, verdict, reason, reduction.groups, reduction.left_out)
