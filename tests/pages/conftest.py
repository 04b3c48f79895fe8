"""What the screens' tests share: a data folder of their own, a small table, and the app as a script."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty data folder for each test; jobs and caches end with it."""
    monkeypatch.setenv("COUNTERWEIGHT_HOME", str(tmp_path / "home"))
    for name in ("COUNTERWEIGHT_DATA_ROOT", "COUNTERWEIGHT_PASSWORD", "COUNTERWEIGHT_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path / "home"
    st.cache_resource.clear()
    st.cache_data.clear()


def small_table(n: int = 240) -> pd.DataFrame:
    """Applications: person (3 rows each), sex (some missing), age, score, hours, remark, hired (yes or no)."""
    rng = np.random.default_rng(5)
    age, score = rng.integers(18, 70, n), rng.normal(size=n).round(3)
    sex = np.where(rng.random(n) < 0.05, None, np.where(rng.random(n) < 0.4, "F", "M"))
    hired = np.where(score + 0.3 * (sex == "M") + rng.normal(size=n) > 0.6, "yes", "no")
    return pd.DataFrame({"person": np.arange(n) // 3, "sex": sex, "age": age, "score": score,
                         "hours": rng.integers(10, 60, n), "constant": 1, "hired": hired})


@pytest.fixture
def csv() -> bytes:
    return small_table().to_csv(index=False).encode()


@pytest.fixture
def app():
    """The whole app, opened on a screen: app("data", study="...").

    It starts from the shell as the server does: with app.py the test runner would find the folder pages/ beside it
    and run screens without their shell.
    """
    def start(screen: str = "start", **query: str) -> AppTest:
        at = AppTest.from_file(str(ROOT / "pages" / "_ui" / "shell.py"), default_timeout=60)
        for key, value in query.items():
            at.query_params[key] = value
        if screen != "start":
            at.run()
            at.switch_page(f"../{screen}.py")
        return at.run()

    return start
