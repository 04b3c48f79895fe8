"""With what and how long: architecture, seeds, iterations, batches, optimiser, device."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core import registry
from core.engine.device import DEVICES, pick_device
from core.engine.plan import BUDGET_PARAMS, OPTIMIZER_PARAMS
from core.types import BadInput, Budget, MethodSpec, Param, Task, TrainSpec
from pages._ui import param
from pages._ui.text import count, plain

PASSES = 20
SEEDS = Param("n_seeds", 3, 1, 50, title="Seeds",
              help="How often every setting is trained, each time with other first weights and another order of rows. "
                   "More seeds, surer averages.")
FIRST = Param("first_seed", 0, 0, 2**31 - 51, title="First seed", help="Seeds are counted up from this number.")
DEVICE_WORDS = {"auto": "the fastest there is", "cpu": "processor (CPU)", "cuda": "graphics card (CUDA)",
                "mps": "Apple graphics (MPS)"}
PRECISIONS = {"float32": "full (float32)", "bfloat16": "mixed (bfloat16)"}


def first(task: Task) -> Budget:
    """A budget to begin with: about PASSES passes over the training rows, 300 to 1,000 iterations."""
    budget = Budget()
    wanted = round(PASSES * len(task.splits.train) / budget.batch_size, -2)
    return replace(budget, iterations=int(min(max(wanted, 300), budget.iterations)))


def form(key: str, task: Task, start: TrainSpec, methods: tuple[MethodSpec, ...] | None) -> TrainSpec | None:
    """Ask for everything but the methods.

    Returns:
        The whole training, unchecked as a whole; None while something is refused or `methods` is None.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="train-main"):
        net, settings = _net(key, task, start)
        iterations = param.widget(BUDGET_PARAMS["iterations"], f"{key}:iterations", start.budget.iterations)
        seeds = param.widget(SEEDS, f"{key}:seeds", len(start.seeds))
    place = st.empty()
    with st.expander("More: batches, optimiser, learning rate, weight decay, device", key=f"{key}:more"):
        with st.container(horizontal=True, vertical_alignment="bottom", key="train-more"):
            rest = {name: param.widget(BUDGET_PARAMS[name], f"{key}:{name}", getattr(start.budget, name))
                    for name in ("batch_size", "optimizer", "evaluations")}
            first = param.widget(FIRST, f"{key}:first", min(start.seeds, default=0))
        swept = {p.name: param.sweep(p, f"{key}:{p.name}", getattr(start.budget, p.name)) for p in OPTIMIZER_PARAMS}
        device, precision = _device(key, start)
    if None in (methods, iterations, seeds, first, *settings.values(), *rest.values()) or not all(swept.values()):
        return None
    place.caption(_epochs(task, iterations, rest["batch_size"]))
    return TrainSpec(tuple(methods or ()), net, settings, tuple(range(first, first + seeds)),
                     Budget(iterations, **rest, **swept), device, precision)


def _net(key: str, task: Task, start: TrainSpec) -> tuple[str, dict]:
    there = {n.name: n for n in registry.nets().values() if task.image_shape is not None or not n.images_only}
    names = list(there)
    held = f"{key}:net"
    first = "cnn" if task.image_shape is not None and "cnn" in there else "mlp"
    begin = start.net if start.net in there and start.methods else first if first in there else names[0]
    name = st.selectbox("Architecture", names, names.index(begin), format_func=lambda n: there[n].title, width=280,
                        key=held, persist_state="session", help=plain(_summaries(there.values()), 900))
    chosen = start.net_settings if name == start.net else {}
    return name, {p.name: param.widget(p, f"{key}:{name}:{p.name}", chosen.get(p.name)) for p in there[name].params}


def _device(key: str, start: TrainSpec) -> tuple[str, str]:
    there = devices()
    with st.container(horizontal=True, vertical_alignment="bottom", key="train-device"):
        device = st.selectbox("Device", there, there.index(start.device) if start.device in there else 0, width=280,
                              format_func=DEVICE_WORDS.get, key=f"{key}:device", persist_state="session",
                              help="Where the models are trained. Results repeat exactly on the same device.")
        names = list(PRECISIONS)
        precision = st.selectbox("Precision", names, names.index(start.precision), format_func=PRECISIONS.get,
                                 width=220, key=f"{key}:precision", persist_state="session",
                                 help="Mixed precision is faster on graphics cards and less exact.")
    return device, precision


def devices() -> list[str]:
    """The devices that this machine offers, "auto" first."""
    found = []
    for name in DEVICES:
        try:
            pick_device(name)
        except BadInput:
            continue
        found.append(name)
    return found


def _epochs(task: Task, iterations: int, batch: int) -> str:
    rows = len(task.splits.train)
    passes = iterations * batch / rows
    shown = f"{passes:.1f}" if passes < 10 else f"{passes:,.0f}"
    return (f"{count(iterations, 'iteration')} of {batch:,} rows are about **{shown} passes** (epochs) over the "
            f"{count(rows, 'training row')}. Every method gets the same number of steps, also those that draw fewer or "
            "other rows, so that differences come from the method and not from more training.")


def _summaries(nets) -> str:
    return " ".join(f"{n.title}: {n.summary}" for n in nets)
