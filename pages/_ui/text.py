"""Words that came from a person or a file, made safe to show, and numbers as people read them."""

from __future__ import annotations

import math
import re
import time

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_FORMATS = re.compile(r"[\\`*_\[\]<>$~#|&{}^]|:\S|--|->|^\s*[-+]\s|^\s*\d+[.)]\s|www\.|://|\S@\S", re.IGNORECASE)
_BLANK = re.compile(r"\s+")
_INVISIBLE = re.compile(r"[\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_WWW = re.compile(r"(www)(?=\\\.)", re.IGNORECASE)
JOINER = "\u2060"


def plain(text: object, limit: int = 120) -> str:
    """`text` as Markdown that shows exactly its characters: no formatting, links, colours, formulas, emoji codes,
    HTML or line breaks. Longer than `limit` characters it is cut with an ellipsis.

    Every ASCII punctuation mark is escaped; an invisible word joiner stops the replacements that work on finished text
    (":name:", "->", "--", "www.", "a@b").
    """
    line = _BLANK.sub(" ", _INVISIBLE.sub(" ", str(text))).strip()
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    escaped = _PUNCTUATION.sub(r"\\\1", line)
    for mark in (":", "-", "@"):
        escaped = escaped.replace(f"\\{mark}", f"\\{mark}{JOINER}")
    return _WWW.sub(rf"\1{JOINER}", escaped)


def label(text: object, limit: int = 60) -> str:
    """`text` as the label of a widget, which is Markdown to the eye but letter for letter the widget's name to a screen
    reader: only what Markdown would change is escaped, so that "men, White (45+)" is read as it is.
    """
    line = clean(text, limit)
    return plain(text, limit) if _FORMATS.search(line) else line


def clean(text: object, limit: int = 120) -> str:
    """`text` on one line without control characters, for places that show text as it is (tables, lists, charts)."""
    line = _BLANK.sub(" ", _INVISIBLE.sub(" ", str(text))).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def percent(share: float, digits: int = 1) -> str:
    """0.239 -> "23.9 %"; small shares keep a digit that is not 0."""
    if math.isnan(share):
        return "undefined"
    value = 100 * share
    if 0 < abs(value) < 10**-digits:
        return f"{value:.1g} %"
    return f"{value:.{digits}f} %"


def count(n: float, one: str, many: str = "") -> str:
    """1 -> "1 row", 1200 -> "1,200 rows"."""
    return f"{n:,.0f} {one if n == 1 else many or one + 's'}"


def duration(seconds: float | None) -> str:
    """65 -> "1 min 5 s"; None -> "time left unknown"."""
    if seconds is None:
        return "time left unknown"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def ago(then: float) -> str:
    """A time (seconds since 1970) as "3 min ago"."""
    passed = max(0.0, time.time() - then)
    for span, word in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if passed >= span:
            return f"{count(passed // span, word)} ago"
    return "just now"
