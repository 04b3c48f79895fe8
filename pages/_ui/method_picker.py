"""What should be tried: ready-made sets, a searchable list of methods, and each method's own settings."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.types import Method, MethodSpec, Task
from pages._ui import param, plans
from pages._ui.text import plain


def choose(key: str, task: Task, start: tuple[MethodSpec, ...] = ()) -> tuple[MethodSpec, ...] | None:
    """Ask for methods and the values of their settings.

    Args:
        key: prefix of the widgets' keys.
        task: what is trained on; methods that cannot work on it are not offered.
        start: what is chosen first; nothing is the plan "First look".

    Returns:
        The methods with every setting's values, empty where none is chosen; None while a value is refused.
    """
    there = plans.offered(task)
    if f"{key}:methods" not in st.session_state:
        _begin(key, [s for s in start if s.name in there] or list(plans.specs("first", task)), "" if start else "first")
    st.pills("Ready-made sets", list(plans.PLANS), format_func=lambda p: plans.PLANS[p].title, key=f"{key}:plan",
             on_change=_apply, args=(key, task), persist_state="session",
             help="Each fills in the methods below, which you can then change.")
    plan = st.session_state.get(f"{key}:plan")
    if plan:
        st.caption(plans.PLANS[plan].help)
    chosen = st.session_state[f"{key}:methods"]
    with st.popover("Narrow the list", key=f"{key}:narrow", help="By family, by what is known, by how it trains."):
        narrowed = _narrowed(key, there)
    names = st.multiselect(
        "Methods", [m for m in there if m in chosen or m in narrowed],
        format_func=lambda m: f"{there[m].title} · {plans.family(there[m])}",
        key=f"{key}:methods", persist_state="session", placeholder="Type to search",
        help="Every method is trained with the same architecture, rows, batches and number of iterations.")
    missing = plans.left_out(task)
    if missing:
        st.caption(plain(f"Not offered, because they need two classes: {', '.join(missing)}.", 600))
    turn = f"{key}:{st.session_state[f'{key}:turn']}"
    with st.grid(2, min_column_width=380, key="methods-grid"):
        specs = [_settings(turn, there[m]) for m in names]
    return None if None in specs else tuple(specs)


def _narrowed(key: str, there: Mapping[str, Method]) -> set[str]:
    """The methods that the filters leave; what is chosen already stays chosen."""
    keep = {"persist_state": "session"}
    family = st.selectbox("Family", plans.families(there), format_func=plans.family_words, key=f"{key}:family", **keep)
    sight = st.segmented_control("Groups while training", list(plans.SIGHT), format_func=plans.SIGHT.get, default="",
                                 key=f"{key}:sight", **keep) or ""
    pace = st.segmented_control("Runs are trained", list(plans.PACE), format_func=plans.PACE.get, default="",
                                key=f"{key}:pace", **keep) or ""
    found = {name for name, m in there.items() if plans.fits(m, family, sight, pace)}
    st.caption(f"{len(found)} of {len(there)} methods are in the list; what is chosen stays.")
    return found


def values_in_words(method: Method, spec: MethodSpec) -> str:
    """ "step of the group weights 0.01, 0.1"; empty where everything is at its default."""
    told = []
    for p in method.params:
        values = spec.settings.get(p.name, (p.default,))
        if values and tuple(values) != (p.default,):
            told.append(f"{p.title or p.name} " + ", ".join(_word(v) for v in values))
    return "; ".join(told)


def _begin(key: str, specs: list[MethodSpec], plan: str) -> None:
    """Fill the form; a new turn gives every setting's widgets a fresh start."""
    turn = st.session_state.get(f"{key}:turn", 0) + 1
    st.session_state[f"{key}:turn"] = turn
    st.session_state[f"{key}:methods"] = [s.name for s in specs]
    st.session_state[f"{key}:plan"] = plan or None
    for spec in specs:
        st.session_state[f"{key}:{turn}:{spec.name}"] = dict(spec.settings)


def _apply(key: str, task: Task) -> None:
    plan = st.session_state.get(f"{key}:plan")
    if plan:
        _begin(key, list(plans.specs(plan, task)), plan)


def _settings(key: str, method: Method) -> MethodSpec | None:
    """One method's box: closed, it keeps its values; open, it explains the method and lets them be changed."""
    mine = f"{key}:{method.name}"
    held = st.session_state.setdefault(mine, {})
    words = values_in_words(method, MethodSpec(method.name, held))
    bad = any(not v for v in held.values())
    label = f"**{plain(method.title)}**" + (f" · {plain(words, 160)}" if words else "") + \
        (" · a setting needs another look" if bad else "")
    if st.session_state.pop(f"{mine}:stay", False):  # a box with another label is another box: it would be closed
        st.session_state[f"{mine}:box"] = True
    box = st.expander(label, key=f"{mine}:box", on_change="rerun")
    if box.open:
        with box:
            about(method)
            values = {p.name: param.sweep(p, f"{mine}:{p.name}", tuple(held.get(p.name) or ()) or None)
                      for p in method.params}
        if values != {p.name: tuple(held.get(p.name, (p.default,))) for p in method.params}:
            st.session_state[mine], st.session_state[f"{mine}:stay"] = values, True
            st.rerun()
    return None if bad else MethodSpec(method.name, {k: tuple(v) for k, v in held.items()})


def about(method: Method) -> None:
    """What the method does, what it must know, where it fails and where it comes from."""
    st.write(plain(method.summary, 600))
    if method.equation:
        st.code(method.equation, language=None, wrap_lines=True)
    needs = [plans.NEEDS[n] for n in plans.NEEDS if n in method.needs]
    lines = [("Needs", ", ".join(needs) or "nothing but labels"), ("Known failures", method.known_failures),
             ("Our reading", method.reconstruction), ("Source", method.source)]
    if not method.stacked:
        lines.append(("Speed", "trained one after another by scikit-learn, with its own architecture"))
    st.markdown("\n".join(f"- **{title}:** {plain(text, 900)}" for title, text in lines if text))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
