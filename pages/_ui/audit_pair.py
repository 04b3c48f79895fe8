"""Two groups and one outcome to compare, and differences in words: what several questions of an audit share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.audit.strata import largest_gap, outcome_of, outcomes_of
from core.types import BadInput, Predictions, Value
from pages._ui import query
from pages._ui.audit_held import Subject
from pages._ui.text import clean, plain

TITLES = {"selection": "Predicted {positive}", "label": "Truly {positive}",
          "tpr": "Predicted {positive}, of those who are", "fpr": "Predicted {positive}, of those who are not",
          "error": "Predicted wrongly", "score": "The score itself"}


class Choice(NamedTuple):
    """Outcome, the two groups, and how many pairs of groups these two were picked from for their gap."""

    outcome: str
    first: int
    second: int
    among: int


def chosen(subject: Subject, prefix: str, outcomes: Sequence[str]) -> Choice:
    """What a person chose; the address keys begin with `prefix`. Raises BadInput where there is nothing to choose."""
    rows = subject.rows
    if not outcomes:
        raise BadInput("Outcome", "scores without a threshold and without labels", "decisions or labels",
                       "give a threshold")
    positive = clean(rows.classes[1] if len(rows.classes) == 2 else "", 40)
    outcome = query.choice(f"{prefix}_of", "Outcome", list(outcomes), width=300,
                           words=lambda name: TITLES[name].format(positive=positive))
    low, high, among = default_groups(rows, subject.model, outcome)
    names = {str(k): clean(label, 80) for k, label in enumerate(rows.groups.labels)}
    first = query.choice(f"{prefix}_first", "Group", list(names), words=names.get, default=str(low), width=220)
    rest = [k for k in names if k != first]
    other = str(high) if str(high) in rest else str(low)
    second = query.choice(f"{prefix}_second", "Compared with", rest, words=names.get, default=other, width=220)
    return Choice(outcome, int(first), int(second), among if {int(first), int(second)} == {low, high} else 1)


def default_groups(rows: Predictions, model: int, outcome: str) -> tuple[int, int, int]:
    """The groups with the largest gap of selection (of the outcome where nothing is selected, or the first two), and
    among how many pairs that is the largest."""
    known = outcomes_of(rows, model)
    by = "selection" if "selection" in known else outcome if outcome in known else next(iter(known), "")
    try:
        return largest_gap(rows, outcome_of(rows, model, by))
    except BadInput:
        return 1, 0, 1


def points(value: Value, *, scale: float = 100.0) -> str:
    """A difference in percentage points with its interval: "-14.2 (-17.0 to -11.3)", or why there is none."""
    if not math.isfinite(value.value):
        return f"undefined, {clean(value.undefined)}" if value.undefined else "undefined"
    digits = 1 if scale == 100 else 3
    ends = f" ({signed(scale * value.low, digits)} to {signed(scale * value.high, digits)})"
    known = np.isfinite([value.low, value.high]).all()
    return signed(scale * value.value, digits) + (ends if known else f" (no interval: {clean(value.how)})")


def signed(number: float, digits: int = 1) -> str:
    """+4.3, -14.2 with a real minus sign, and 0.0 without any."""
    text = f"{abs(number):.{digits}f}"
    return text if float(text) == 0 else f"{'+' if number > 0 else '−'}{text}"


def share(value: Value) -> str:
    """A share in whole per cent that may be negative or above 100: "125 % (98 to 153)"."""
    if not math.isfinite(value.value):
        return f"undefined, {clean(value.undefined)}" if value.undefined else "undefined"
    shown = [signed(100 * v, 0).removeprefix("+") for v in (value.value, value.low, value.high)]
    return f"{shown[0]} % ({shown[1]} to {shown[2]})"


def chance(p: float) -> str:
    """A p-value as people read it."""
    if not math.isfinite(p):
        return "undefined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def compared(subject: Subject, first: int, second: int, raw: Value, counted: str, whom: str, *,
             scale: float = 100.0) -> str:
    """The raw difference in one sentence."""
    one, other = (plain(subject.rows.groups.labels[g], 60) for g in (first, second))
    unit = " points" if scale == 100 else ""
    size, _, ends = points(raw, scale=scale).partition(" (")
    shown = f"{size}{unit} ({ends}" if ends else size
    if counted == "score":
        way = "as high as" if raw.value == 0 else "higher than" if raw.value > 0 else "lower than"
        return f"The score of **{one}** is on average {way} that of **{other}**: {shown}."
    of = "" if whom == "everyone" else f"of {plain(whom, 80)}, "
    way = "as often as" if raw.value == 0 else "more often than" if raw.value > 0 else "less often than"
    return f"{of[:1].upper()}{of[1:]}**{one}** are {plain(counted, 80)} {way} **{other}**: {shown}."
