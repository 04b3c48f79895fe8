""" "Find me": the best rule under a bound, by exact search on validation rows; and keeping a rule as a new point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.fronts import GAPS, OBJECTIVES, best_rule, group_threshold_front, mixture_at
from core.jobs.rules import save_rule
from core.types import BadInput, RunRecord, Scores
from pages._ui import nav, query, rule, state
from pages._ui.text import clean, plain

NOTE = "rule:note"


def form(val: Scores) -> None:
    """Objective, gap, bound, and the button that moves the sliders."""
    st.markdown("**Find me the rule**")
    objective = query.choice("aim", "with the best", list(OBJECTIVES), words=lambda k: OBJECTIVES[k],
                             help="Over everybody together, on validation rows.")
    costs = _costs() if objective == "expected_cost" else (1.0, 1.0)
    gap = query.choice("gap", "that keeps the", list(GAPS), words=lambda k: GAPS[k],
                       help="How differently groups may be treated, or how wrong the worst group may go.")
    bound = st.slider("at most at", 0.0, 0.5, 0.05, 0.005, format="%.3f", key="rule:bound", persist_state="session",
                      help="0 asks for perfect equality on validation rows.")
    st.button("Find it", key="rule:find", type="primary", on_click=_find, args=(val, objective, gap, bound, costs),
              help="Exact search on validation rows; the result is put into the sliders.")
    if st.session_state.get(NOTE):
        st.caption(plain(st.session_state[NOTE], 800))


def _costs() -> tuple[float, float]:
    with st.container(horizontal=True, key="rule-costs"):
        fp = st.number_input("Cost of a false positive", 0.0, 1e6, 1.0, key="rule:fp", persist_state="session")
        fn = st.number_input("Cost of a false negative", 0.0, 1e6, 1.0, key="rule:fn", persist_state="session")
    return fp if fp is not None else 1.0, fn if fn is not None else 1.0


def _find(val: Scores, objective: str, gap: str, bound: float, costs: tuple[float, float]) -> None:
    """What the widgets hold this moment counts: a number may have been typed since the button was drawn."""
    objective, gap = _now(f"{query.WIDGET}aim", objective), _now(f"{query.WIDGET}gap", gap)
    costs = _now("rule:fp", costs[0]), _now("rule:fn", costs[1])
    try:
        found = best_rule(val.score[0], val.y, val.attr, val.thresholds.shape[1], _now("rule:bound", bound), gap=gap,
                          objective=objective, weight=val.w, cost_fp=costs[0], cost_fn=costs[1])
    except BadInput as refused:
        st.session_state[NOTE] = str(refused)
        return
    rule.write(np.asarray(found.thresholds, dtype=np.float64))
    st.session_state[NOTE] = f"Found: {found.note}.{_coin(val, objective, gap, _now('rule:bound', bound), costs)}"


def _coin(val: Scores, objective: str, gap: str, bound: float, costs: tuple[float, float]) -> str:
    """What a coin between two rules would reach on average, where that is more than any single rule does."""
    front = group_threshold_front(val.score[0], val.y, val.attr, val.thresholds.shape[1], objective=objective, gap=gap,
                                  weight=val.w, cost_fp=costs[0], cost_fn=costs[1])
    coin = mixture_at(front, bound)
    if coin is None or coin.share == 0.0:
        return ""
    name = OBJECTIVES[objective].lower().replace("f1", "F1")
    one, other = (f"the rule with gap {front.gap[k]:.3g}" for k in (coin.second, coin.first))
    return (f" Randomised: a coin that decides {coin.share:.0%} of cases by {one} and the others by {other} would "
            f"reach an expected {name} of {coin.value:.4g}, at an expected gap of at most {coin.gap:.3g}; like people "
            "may then be decided otherwise.")


def _now(key: str, drawn: Any) -> Any:
    held = st.session_state.get(key)
    return drawn if held is None else held


def save(run: RunRecord, values: np.ndarray, labels: Sequence[str]) -> None:
    """Keep the rule as a new point on the front."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="rule-save"):
        title = st.text_input("Name of the rule", placeholder=in_words(values), max_chars=80, key="rule:title",
                              help="Shown on the front and in lists.", width=300)
        if st.button("Save this rule", key="rule:save", help="It becomes a new point on the front, measured on "
                     "validation and test rows; the model stays as it is."):
            try:
                kept = save_rule(state.store(), run, values, clean(title or in_words(values), 80))
            except BadInput as refused:
                st.error(plain(refused, 400))
            else:
                st.session_state["rule:kept"] = kept.key
    kept_key = st.session_state.get("rule:kept")
    if kept_key:
        nav.link("tradeoffs", "Saved: see it on the front", run=kept_key)


def in_words(values: np.ndarray) -> str:
    """ "threshold 0.5" or "thresholds 0.31 to 0.62"."""
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return "nobody is selected"
    low, high = float(known.min()), float(known.max())
    return f"threshold {low:.3g}" if low == high else f"thresholds {low:.3g} to {high:.3g}"
