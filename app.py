"""Counterweight: `streamlit run app.py`.

The file only launches: the screens are declared in pages/_ui/shell.py, which lies in a folder without a `pages/`
beside it, so that a deep link on a fresh server runs the shell first.
"""

from __future__ import annotations

import gc
import importlib
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.guard import Headers

ROOT = Path(__file__).resolve().parent
HEAVY = ("altair", "pandas", "plotly.graph_objects", "sklearn.ensemble", "sklearn.linear_model", "torch")


def warm() -> None:
    """Import what is slow and open the store before the server answers, then take it all out of garbage collection.

    A collection runs after every rerun; without the freeze it walks everything that torch brought.
    """
    from core import registry
    from pages._ui import state

    for name in HEAVY:
        importlib.import_module(name)
    for kind in (registry.datasets, registry.methods, registry.metrics, registry.nets):
        kind()
    state.jobs()
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def lifespan(_):
    """Warm up before the first answer; stop the jobs, each keeping its last checkpoint, before the process ends."""
    await anyio.to_thread.run_sync(warm)
    from pages._ui import state

    yield
    state.jobs().shutdown()


app = st.App(ROOT / "pages" / "_ui" / "shell.py", lifespan=lifespan, middleware=[Middleware(Headers)])

if get_script_run_ctx(suppress_warning=True) is not None:  # run as a plain script, as the tests do
    from pages._ui.shell import render

    render()
