"""View state in the address: what a person chose is a query parameter, so that a link shows the same view.

The address holds short keys ("accuracy.worst@subgroup") while the widgets show words. A parameter is absent where the
value is the default. A value that the address asks for anew (a link, the back button) wins; else the session's own.
Values live on when the person visits another screen, and screens that use the same name share the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

HELD, SEEN, WIDGET, SCREEN = "held:", "seen:", "view:", "screen:"


def asked(name: str) -> str | None:
    """What the address asks for anew: its value, unless this session wrote or read it before."""
    now = st.query_params.get(name)
    return now if now is not None and now != st.session_state.get(SEEN + name) else None


def told(name: str, text: str, default: str = "") -> None:
    """Write a value into the address; the default leaves it out."""
    shown = None if text == default else text
    if st.query_params.get(name) != shown:
        if shown is None:
            del st.query_params[name]
        else:
            st.query_params[name] = shown
    st.session_state[SEEN + name] = shown


def held(name: str, allowed: Sequence[str] | None, default: str) -> str:
    """The value now: asked by the address, else held by the session, else the default. Only `allowed` ones count."""
    for value in (asked(name), st.session_state.get(HELD + name)):
        if value is not None and (allowed is None or value in allowed):
            return value
    return default


def keep(name: str, text: str, default: str = "") -> None:
    """Hold a value in the session and in the address."""
    st.session_state[HELD + name] = text
    told(name, text, default)


def put(name: str, text: str) -> None:
    """Set a value from a callback; its widget follows in the next run."""
    st.session_state[HELD + name] = text
    st.session_state.pop(WIDGET + name, None)


def choice(name: str, label: str, options: Sequence[str], *, words: Callable[[str], str] = str, default: str = "",
           kind: str = "select", pin: bool = False, **more: Any) -> str:
    """One of `options` (keys; not empty).

    Args:
        words: key -> what is shown.
        kind: "select" (a list with search), "segmented" (buttons) or "pills" (buttons that wrap).
        default: the key that the address leaves out; the first where it is not among the options.
        pin: write the default into the address as well, because it may be another one tomorrow.
        more: passed to the widget (help, width ...).
    """
    first = default if default in options else options[0]
    now = _enter(name, held(name, options, first), lambda v: v in options)
    shared: dict[str, Any] = {"format_func": words, "key": WIDGET + name} | more
    buttons = {"segmented": st.segmented_control, "pills": st.pills}.get(kind)
    if buttons:
        got = buttons(label, options, required=True, default=now, **shared)
    else:
        got = st.selectbox(label, options, index=0 if now is None else list(options).index(now), **shared)
    got = got if got in options else first
    keep(name, got, "" if pin else first)
    return got


def several(name: str, label: str, options: Sequence[str], *, words: Callable[[str], str] = str,
            default: Sequence[str] = (), **more: Any) -> tuple[str, ...]:
    """Some of `options` (keys without commas), in the order of `options`; nothing chosen is an empty tuple."""
    first = ",".join(default)
    text = held(name, None, first)
    start = [v for v in options if v in text.split(",")]
    now = _enter(name, start, lambda v: set(v) <= set(options))
    got = st.multiselect(label, options, now, format_func=words, key=WIDGET + name, **more)
    picked = tuple(v for v in options if v in got)
    keep(name, ",".join(picked), first)
    return picked


def flag(name: str, label: str, *, default: bool = False, **more: Any) -> bool:
    """On or off."""
    first = str(int(default))
    now = _enter(name, held(name, ("0", "1"), first) == "1", lambda v: isinstance(v, bool))
    got = bool(st.toggle(label, bool(now), key=WIDGET + name, **more))
    keep(name, str(int(got)), first)
    return got


def whole(name: str, label: str, low: int, high: int, default: int, **more: Any) -> int:
    """A whole number from `low` to `high`."""
    now = _enter(name, int(number(name, default, low, high)), lambda v: isinstance(v, int))
    got = st.number_input(label, low, high, "min" if now is None else now, key=WIDGET + name, **more)
    value = default if got is None else int(got)
    keep(name, str(value), str(default))
    return value


def number(name: str, default: float, low: float, high: float) -> float:
    """A number of the address or the session without a widget, cut to its range."""
    try:
        value = float(held(name, None, ""))
    except ValueError:
        return default
    return min(max(value, low), high) if math.isfinite(value) else default


def _enter(name: str, start: Any, valid: Callable[[Any], bool]) -> Any:
    """Set the widget to `start` where it holds nothing, something gone, what another screen's widget held, or the
    address asks anew; else leave it alone, so that what the person does meanwhile is not overwritten.

    Returns:
        None where the widget was set, else what it holds, to be given to it as its default: a widget in a popover
        that was never opened is built by the browser only then, from the default alone.
    """
    key, screen = WIDGET + name, _screen()
    new = asked(name) is not None or st.session_state.get(SCREEN + name) != screen
    st.session_state[SCREEN + name] = screen
    if new or key not in st.session_state or not valid(st.session_state[key]):
        st.session_state[key] = start
        return None
    return st.session_state[key]


def _screen() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return context.page_script_hash if context is not None else ""
