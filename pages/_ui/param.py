"""A Param as a widget: one value, or the values of a sweep. Everything is checked by Param.check again."""

from __future__ import annotations

import math
import re
from typing import Any

import streamlit as st

from core.types import BadInput, Param
from pages._ui.text import label, plain

MODES = {"one": "One value", "list": "List", "range": "Range"}
MAX_VALUES = 100


def widget(param: Param, key: str, value: Any = None) -> Any:
    """One value of a setting.

    Args:
        param: the setting.
        key: the widget's key; what is typed stays when the person visits another page.
        value: what is shown first; None is the default.

    Returns:
        The value in the setting's own type, or None where it is refused (one sentence is shown then).
    """
    start = _valid(param, value)
    name, words = label(param.label), plain(param.help, 600) or None
    keep: dict[str, Any] = {"key": key, "help": words, "persist_state": "session"}
    if param.choices:
        raw = st.selectbox(name, param.choices, param.choices.index(start), format_func=str, **keep)
    elif isinstance(param.default, bool):
        raw = st.toggle(name, start, **keep)
    elif isinstance(param.default, str):
        raw = st.text_input(name, start, **keep)
    else:
        raw = _number(param, name, start, **keep)
    values = _checked(param, [] if raw is None else [raw])
    return values[0] if values else None


def sweep(param: Param, key: str, value: tuple[Any, ...] | None = None) -> tuple[Any, ...]:
    """The values to try of a setting: one, a list, or a range of a number; several choices of a named one.

    Returns:
        Values in the setting's own type without doubles; empty where something is refused (one sentence is shown
        then), so that an empty tuple means "do not start".
    """
    start = tuple(_valid(param, v) for v in value) if value else (param.default,)
    if not param.is_number:
        return _several(param, key, start)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"sweep-{_slug(key)}"):
        mode = st.segmented_control(
            f"Values of {label(param.label)}", list(MODES), format_func=MODES.get, required=True,
            default="one" if len(start) == 1 else "list", key=f"{key}:mode", persist_state="session",
            help="Try one value, a list of values, or evenly spaced values from low to high.")
        if mode == "list":
            return _list(param, key, start)
        if mode == "range":
            return _range(param, key, start)
        one = widget(param, f"{key}:one", start[0])
    return () if one is None else (one,)


def _several(param: Param, key: str, start: tuple[Any, ...]) -> tuple[Any, ...]:
    if isinstance(param.default, str) and not param.choices:
        one = widget(param, key, start[0])
        return () if one is None else (one,)
    options = param.choices or (False, True)
    picked = st.pills(label(param.label), options, selection_mode="multi", default=list(start), key=key,
                      format_func=_word, help=plain(param.help, 600) or None, persist_state="session")
    return _checked(param, [v for v in options if v in picked])


def _list(param: Param, key: str, start: tuple[Any, ...]) -> tuple[Any, ...]:
    typed = st.text_input(label(param.label), ", ".join(f"{v:g}" for v in start), key=f"{key}:list",
                          help=plain(f"Values with commas between them. {param.help}", 600), persist_state="session")
    return _checked(param, [_read(part) for part in re.split(r"[,;\s]+", typed.strip()) if part])


def _range(param: Param, key: str, start: tuple[Any, ...]) -> tuple[Any, ...]:
    words = label(param.label)
    low = _number(param, f"{words} from", min(start), key=f"{key}:low", persist_state="session",
                  help="The smallest value to try.")
    high = _number(param, f"{words} to", max(max(start), min(start)), key=f"{key}:high", persist_state="session",
                   help="The largest value to try.")
    points = st.number_input("Number of values", 1, MAX_VALUES, 5, key=f"{key}:points", width=130,
                             persist_state="session",
                             help="Spaced by factors." if param.log else "Evenly spaced.")
    if low is None or high is None or points is None:
        return _checked(param, [])
    try:
        if low > high:
            raise BadInput(param.label, f"a range from {low:g} to {high:g}", "from low to high", "swap the two ends")
        values = param.grid(low, high, points)
    except BadInput as refused:
        st.error(plain(refused, 400))
        return ()
    st.caption(plain("tries " + ", ".join(f"{v:g}" for v in values), 200))
    return values


def _number(param: Param, label: str, start: float, **keep: Any) -> float | int | None:
    whole = isinstance(param.default, int)
    step = 1 if whole else _step(param)
    kind = int if whole else float
    return st.number_input(label, kind(param.low), kind(param.high), kind(start), kind(step), width=220,
                           format="%d" if whole else "%g", **keep)


def _word(value: Any) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def _step(param: Param) -> float:
    """A step that a person would take: the default's own magnitude for log settings, else about a fiftieth."""
    size = param.default if param.log and param.default > 0 else (param.high - param.low) / 50
    return 10.0 ** math.floor(math.log10(size)) if size > 0 else 0.1


def _read(word: str) -> Any:
    try:
        number = float(word)
    except ValueError:
        return word
    return int(number) if number.is_integer() else number


def _valid(param: Param, value: Any) -> Any:
    try:
        return param.default if value is None else param.check(value)
    except BadInput:
        return param.default


def _checked(param: Param, values: list[Any]) -> tuple[Any, ...]:
    """The values in the setting's type without doubles; nothing, with the reason on screen, where one is refused."""
    try:
        if not 0 < len(values) <= MAX_VALUES:
            raise BadInput(param.label, f"{len(values) or 'no'} values", f"1 to {MAX_VALUES}", "list as many as to try")
        return tuple(dict.fromkeys(param.check(v) for v in values))
    except BadInput as refused:
        st.error(plain(refused, 400))
        return ()


def _slug(key: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "-", key)
