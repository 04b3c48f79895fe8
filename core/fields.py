"""Strict reading of JSON that a person or another program wrote: every refusal is one sentence that names the field.

Fields are named as they are reached: "trainings[0].budget.lr".
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.types import BadInput

NEEDED: Any = object()
TEXT_LIMIT = 200


def at(where: str, name: str) -> str:
    """The dotted name of a field inside `where`."""
    return f"{where}.{name}" if where else name


def shown(value: Any) -> str:
    """A value as an error message shows it, cut to 60 characters."""
    text = {True: "true", False: "false", None: "null"}.get(value) if isinstance(value, (bool, type(None))) else None
    text = text or (repr(value) if isinstance(value, (str, int, float)) else _kind(value))
    return text if len(text) <= 60 else text[:57] + "..."


def _kind(value: Any) -> str:
    """ "a list", "an object" or "a value"."""
    return "a list" if isinstance(value, (list, tuple)) else "an object" if isinstance(value, Mapping) else "a value"


def refuse_value(value: Any, where: str, allowed: str, hint: str) -> BadInput:
    """The error for one wrong value."""
    return BadInput(where or "The file", shown(value), allowed, hint)


def decode(content: bytes, title: str, limit: int) -> Mapping[str, Any]:
    """The object in UTF-8 JSON bytes.

    Refused with BadInput: more than `limit` bytes, other encodings, broken or deeply nested JSON, NaN and Infinity,
    a key twice in one object, anything but an object at the top.
    """
    if len(content) > limit:
        raise BadInput(title, f"{len(content) / 1e6:.1f} MB", f"at most {limit / 1e6:g} MB", "choose a smaller file")
    try:
        found = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise BadInput(title, "bytes that are not text", "JSON in UTF-8", "choose an exported file") from None
    except RecursionError:
        raise BadInput(title, "lists nested very deeply", "JSON as the app exports it", "flatten the file") from None
    except json.JSONDecodeError as broken:
        found_at = f"JSON that breaks at line {broken.lineno}, column {broken.colno}"
        raise BadInput(title, found_at, "valid JSON", "mend that line; a comma or a quote may be missing") from None
    except BadInput as refused:
        raise BadInput(title, refused.found, refused.allowed, refused.hint) from None
    except ValueError:
        raise BadInput(title, "a number of thousands of digits", "ordinary numbers", "shorten the number") from None
    if not isinstance(found, dict):
        raise BadInput(title, shown(found), "an object in braces", "choose a file that the app exported")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput("", f"{shown(twice)} twice in one object", "every name once", "remove one of them")
    return found


def _no_constant(word: str) -> float:
    raise BadInput("", word, "finite numbers", "write a number, or null where a field is optional")


def text_of(value: Any, where: str, limit: int = TEXT_LIMIT) -> str:
    """`value` if it is text that a database and a screen can hold."""
    if not isinstance(value, str):
        raise refuse_value(value, where, "text in quotes", "put it in quotes")
    if len(value) > limit:
        raise BadInput(where, f"{len(value):,} characters", f"at most {limit:,}", "shorten it")
    if "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):
        raise BadInput(where, "text with broken characters", "Unicode text", "type it again")
    return value


def scalar(value: Any, where: str) -> Any:
    """`value` if it is one finite number, one word, or true or false."""
    if isinstance(value, str):
        return text_of(value, where, 2000)
    if not isinstance(value, (bool, int, float)) or (isinstance(value, float) and not math.isfinite(value)):
        raise refuse_value(value, where, "a number, a word, or true or false", "write one value")
    if not isinstance(value, bool) and abs(value) > 1e300:
        raise refuse_value(value, where, "a number of ordinary size", "write a smaller number")
    return value


class Fields:
    """One JSON object: where it stands, and its fields by type.

    Args:
        obj: the decoded object.
        where: its dotted name, "" at the top.
        allowed: names it may have; None allows all.
    """

    def __init__(self, obj: Any, where: str, allowed: Sequence[str] | None) -> None:
        if not isinstance(obj, Mapping):
            raise refuse_value(obj, where, "an object in braces", "write it as {...}")
        self.obj, self.where = obj, where
        for name in obj:
            if not isinstance(name, str):
                raise refuse_value(name, at(where, "name"), "text", "put names in quotes")
            text_of(name, at(where, "name"), 1000)
            if allowed is not None and name not in allowed:
                known = ", ".join(allowed)
                raise BadInput(at(where, name[:80]), "an unknown field", known, "remove it or correct its name")

    def has(self, name: str) -> bool:
        """Whether the field is there, null or not."""
        return name in self.obj

    def given(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.obj.get(name) is not None

    def child(self, name: str, allowed: Sequence[str] | None) -> Fields:
        """The object in a field; an empty one where the field is missing or null."""
        return Fields(self.obj[name] if self.given(name) else {}, at(self.where, name), allowed)

    def text(self, name: str, default: Any = NEEDED, limit: int = TEXT_LIMIT, filled: bool = False) -> Any:
        """Text; `default` where it is missing or null; `filled` refuses text of blanks."""
        value = self._get(name, default, "text in quotes")
        if value is None:
            return None
        value = text_of(value, at(self.where, name), limit)
        if filled and not value.strip():
            raise BadInput(at(self.where, name), "nothing", "text in quotes", f"fill in {name}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; one text stands for a list of one."""
        return tuple(text_of(v, where, 1000) for where, v in self.items(name, 5000, wrap=True))

    def words(self, name: str) -> dict[str, str]:
        """An object of texts."""
        own = self.child(name, None)
        return {k: text_of(v, at(own.where, k), 2000) for k, v in own.obj.items()}

    def number(self, name: str, default: Any = NEEDED) -> Any:
        """A finite number as float; `default` (None too) where it is missing or null."""
        value = self._get(name, default, "a number")
        return None if value is None else self.one_number(value, at(self.where, name))

    @staticmethod
    def one_number(value: Any, where: str) -> float:
        """A finite number as float."""
        if isinstance(value, (bool, str)):
            raise refuse_value(value, where, "a number", "write a number without quotes")
        return float(scalar(value, where))

    def whole(self, name: str, default: Any, low: int, high: int) -> int:
        """A whole number from low to high."""
        value = self._get(name, default, "a whole number")
        whole = not isinstance(value, bool) and isinstance(value, (int, float)) and value == value // 1
        if not whole or not low <= value <= high:
            raise refuse_value(value, at(self.where, name), f"a whole number from {low} to {high}", "correct it")
        return int(value)

    def flag(self, name: str, default: bool) -> bool:
        """true or false."""
        value = self._get(name, default, "true or false")
        if not isinstance(value, bool):
            raise refuse_value(value, at(self.where, name), "true or false", "write true or false without quotes")
        return value

    def items(self, name: str, limit: int, wrap: bool = False) -> Iterator[tuple[str, Any]]:
        """(dotted name, value) of each entry of a list; nothing where the field is missing. `wrap` lets a text, or a
        tuple-less single value, stand for a list of one."""
        value, where = self.obj.get(name), at(self.where, name)
        if value is None:
            return
        if wrap and isinstance(value, str):
            value = [value]
        if not isinstance(value, (list, tuple)):
            raise refuse_value(value, where, "a list in brackets", "write it as [...]")
        if len(value) > limit:
            raise BadInput(where, f"{len(value):,} entries", f"at most {limit:,}", "take fewer")
        for i, entry in enumerate(value):
            yield f"{where}[{i}]", entry

    def many(self, name: str, read: Callable[[Any, str], Any], default: tuple) -> tuple:
        """A list of values, each passed through `read`; one value stands for a list of one."""
        value = self.obj.get(name)
        if value is None:
            return default
        if not isinstance(value, (list, tuple, Mapping)):
            value = [value]
        own = Fields({name: value}, self.where, None)
        return tuple(read(v, where) for where, v in own.items(name, 5000))

    def _get(self, name: str, default: Any, allowed: str) -> Any:
        value = self.obj.get(name)
        if value is not None:
            return value
        if default is NEEDED:
            raise BadInput(at(self.where, name), "nothing", allowed, f"add {name}")
        return default
