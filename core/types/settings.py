"""One setting, and the one kind of error a person sees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


class BadInput(ValueError):
    """Something a person gave cannot be used. Prints as one sentence that says what to do.

    Args:
        field: the field or column in the person's words ("Label", "Learning rate").
        found: what was there ("3 different values").
        allowed: what would have been accepted ("exactly 2 values").
        hint: what to try next, starting with a verb ("choose another column").
    """

    def __init__(self, field: str, found: str, allowed: str, hint: str) -> None:
        self.field, self.found, self.allowed, self.hint = field, found, allowed, hint
        super().__init__(f"{field}: found {found}, allowed is {allowed}; {hint}.")


@dataclass(frozen=True)
class Param:
    """One setting: the widget, the sweep axis, the URL field, the validation and the tests come from it.

    Args:
        name: the keyword in the code and in study files.
        default: the value used where nothing is said; its type is the setting's type.
        low, high: the inclusive range of a number.
        log: True where ranges are spaced by factors.
        choices: the allowed values of a setting that is not a number.
        static: True where the value changes shapes or control flow, so runs that differ in it are not stacked.
        stage: "train" (seen by loss/step), "prepare", "between" or "decide": where the value is used first.
            Runs that differ only in "decide" settings share one trained model.
        title: the plain-words name shown to people.
        symbol: the symbol as the paper writes it.
        help: one or two plain sentences: what it does, which way it pushes.
    """

    name: str
    default: float | int | str | bool
    low: float = -math.inf
    high: float = math.inf
    log: bool = False
    choices: tuple[Any, ...] = ()
    static: bool = False
    stage: str = "train"
    title: str = ""
    symbol: str = ""
    help: str = ""

    @property
    def label(self) -> str:
        """The name shown to people, with the paper's symbol where there is one."""
        words = self.title or self.name.replace("_", " ")
        return f"{words} ({self.symbol})" if self.symbol else words

    @property
    def is_number(self) -> bool:
        return not self.choices and isinstance(self.default, (int, float)) and not isinstance(self.default, bool)

    def check(self, value: Any) -> Any:
        """Return `value` in the setting's own type, or raise BadInput."""
        if self.choices:
            for choice in self.choices:
                if value == choice and isinstance(value, bool) == isinstance(choice, bool):
                    return choice
            allowed = "one of " + ", ".join(map(str, self.choices))
            raise BadInput(self.label, repr(value), allowed, f"use {self.default!r}, the default")
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise BadInput(self.label, repr(value), "true or false", f"use {self.default}, the default")
        if isinstance(self.default, str):
            if isinstance(value, str):
                return value
            raise BadInput(self.label, repr(value), "text", f"use {self.default!r}, the default")
        return self._check_number(value)

    def _check_number(self, value: Any) -> float | int:
        span = f"a {'whole ' if isinstance(self.default, int) else ''}number from {self.low:g} to {self.high:g}"
        hint = f"use {self.default}, the default"
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise BadInput(self.label, repr(value), span, hint)
        if isinstance(self.default, int) and value != int(value):
            raise BadInput(self.label, repr(value), span, hint)
        if not self.low <= value <= self.high:
            raise BadInput(self.label, f"{value:g}", span, hint)
        return int(value) if isinstance(self.default, int) else float(value)

    def grid(self, low: float, high: float, points: int) -> tuple[Any, ...]:
        """`points` values from `low` to `high`, spaced by factors where `log` is set; no doubles."""
        low, high = self.check(low), self.check(high)
        if points < 1 or points > 1000:
            raise BadInput(f"{self.label}, number of points", str(points), "1 to 1000", "use 5")
        if points == 1 or low == high:
            return (low,)
        steps = [i / (points - 1) for i in range(points)]
        if self.log and low > 0 and high > 0:
            values = [low * (high / low) ** s for s in steps]
        else:
            values = [low + (high - low) * s for s in steps]
        values[-1] = high
        typed = [round(v) if isinstance(self.default, int) else float(f"{v:.6g}") for v in values]
        return tuple(dict.fromkeys(self.check(min(max(v, self.low), self.high)) for v in typed))
