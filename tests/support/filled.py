"""A data folder with a trained study, made once and copied for each test that wants one."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

from core.data.load import default_study
from core.jobs.queue import Jobs
from core.store.sql import SqlStore
from core.types import Budget, MethodSpec, TrainSpec

METHODS = (MethodSpec("erm"), MethodSpec("group_dro", {"eta": (0.01, 0.5)}), MethodSpec("group_thresholds"))
BUDGET = Budget(iterations=30, evaluations=3, batch_size=64, lr=(0.01,))
NET = {"hidden": 8}


@cache
def _made(name: str) -> tuple[Path, str]:
    folder = Path(tempfile.mkdtemp(prefix="filled-"))
    store = SqlStore(folder)
    spec = default_study(name)
    methods = METHODS if name != "penguins" else METHODS[:2]
    train = TrainSpec(methods, net_settings=NET, seeds=(0, 1), budget=BUDGET, device="cpu")
    study = store.create_study(replace(spec, trainings=(train,)))
    jobs = Jobs(store, folder)
    job = jobs.submit(study, train)
    until = time.monotonic() + 60
    while jobs.snapshot(job).live and time.monotonic() < until:
        time.sleep(0.05)
    state = jobs.snapshot(job)
    jobs.shutdown()
    store.close()
    if state.state != "finished":
        raise RuntimeError(f"the training of the tests' study is {state.state}: {state.message}")
    return folder, study


def fill(home: Path, name: str = "german_credit") -> str:
    """Copy a trained study of a built-in set into the data folder `home`; returns the study's id."""
    folder, study = _made(name)
    shutil.copytree(folder, home, dirs_exist_ok=True)
    return study


def texts(at) -> str:
    """Everything an AppTest shows as text, without Markdown's escapes and bold."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "info")
    shown = " ".join(str(e.value) for kind in kinds for e in at.get(kind))
    return bare(shown)


def bare(text: str) -> str:
    """Markdown as it reads."""
    return text.replace("\\", "").replace("\u2060", "").replace("**", "")
