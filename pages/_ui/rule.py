"""The thresholds being tried: one for everybody or one for each group, in sliders and in the address (?t=).

What "find me" finds is exact while a slider shows three digits: the exact numbers are kept as long as no slider moves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.types import Scores
from pages._ui import query, text

T = "t"
STEP = 0.001
COMMON = "view:t:common"
TURN_COMMON, TURN_GROUPS = "rule:turn:common", "rule:turn:groups"
EXACT, NOW = "rule:exact", "rule:now"


def slider_of(place: int | None) -> str:
    """The key of a group's slider, or (None) of the common one.

    A slider that others have moved is a new one: the window may still tell what the old one showed, and that is no
    move. Whoever moves sliders quickly is followed to the last step.
    """
    kind = COMMON if place is None else f"view:t:{place}"
    turn = st.session_state.get(TURN_COMMON if place is None else TURN_GROUPS, 0)
    return f"{kind}:{turn}" if turn else kind


def read(scores: Scores, run: str) -> np.ndarray:
    """(A,) the thresholds now; another run begins with its own."""
    n = scores.thresholds.shape[1]
    if st.session_state.get("rule:run") not in (None, run) and query.asked(T) is None:
        query.keep(T, "")
    st.session_state["rule:run"] = run
    given = parse(query.held(T, None, ""), n)
    return scores.thresholds[0].astype(np.float64) if given is None else given


def parse(text: str, n: int) -> np.ndarray | None:
    """ "0.5" or "0.41,0.37,inf" -> (n,) numbers; None where it is not such a list.

    >>> parse("0.5", 2).tolist(), parse("0.4,inf", 2).tolist(), parse("0.4,x", 2), parse("1,2,3", 2)
    ([0.5, 0.5], [0.4, inf], None, None)
    """
    try:
        values = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        return None
    if len(values) == 1:
        values = values * n
    return np.array(values) if len(values) == n and not any(math.isnan(v) for v in values) else None


def write(values: np.ndarray, *, follow: Sequence[str] = (TURN_COMMON, TURN_GROUPS)) -> None:
    """Keep these thresholds; the sliders that did not cause it follow in the next run."""
    for turn in follow:
        st.session_state[turn] = st.session_state.get(turn, 0) + 1
    short = [f"{v:.6g}" for v in values] if len(set(values.tolist())) > 1 else [f"{values[0]:.6g}"]
    query.keep(T, ",".join(short))
    st.session_state[EXACT] = st.session_state[NOW] = values


def exact(values: np.ndarray) -> np.ndarray:
    """The numbers as they were found, where the address holds their short form."""
    held = st.session_state.get(EXACT)
    return held if held is not None and held.shape == values.shape and np.allclose(held, values, rtol=2e-5) else values


def sliders(values: np.ndarray, labels: Sequence[str]) -> None:
    """The common slider, and one for each group behind one click. Moving one takes effect at once."""
    shared = len(set(values.tolist())) == 1
    common, st.session_state[NOW] = slider_of(None), values
    _set(common, values[0] if shared else float(np.median(np.clip(values, 0, 1))))
    st.slider("Common threshold", 0.0, 1.0, step=STEP, format="%.3f", key=common, on_change=_all, args=(common,),
              help="Positive where the score is at least this, for everybody. Moving it ends thresholds per group.")
    with st.expander("A threshold for each group", key="rule-groups", expanded=not shared):
        st.caption("May be unlawful where you are; it shows what is possible, not what is right.")
        for place, label in enumerate(labels):
            _set(slider_of(place), values[place])
            words = " (nobody is selected)" if values[place] == np.inf else ""
            st.slider(f"{text.label(label)}{words}", 0.0, 1.0, step=STEP, format="%.3f", key=slider_of(place),
                      on_change=_one, args=(slider_of(place), place))


def _set(key: str, value: float) -> None:
    shown = _shown(value)
    if st.session_state.get(key) != shown:
        st.session_state[key] = shown


def _shown(value: float) -> float:
    return round(min(max(float(value), 0.0), 1.0), 3)


def _all(key: str) -> None:
    moved = st.session_state.get(key)
    if key == slider_of(None) and moved is not None:
        write(np.full(len(st.session_state[NOW]), moved), follow=(TURN_GROUPS,))


def _one(key: str, place: int) -> None:
    moved, values = st.session_state.get(key), np.array(st.session_state[NOW])
    if key == slider_of(place) and moved not in (None, _shown(values[place])):
        values[place] = moved
        write(values, follow=(TURN_COMMON,))
