"""A folder with a table and a study file, and the command in this process."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from core.cli.main import main

STUDY = {
    "name": "People", "data": {"source": "path", "path": "people.csv"},
    "roles": {"label": "hired", "positive": "yes", "attrs": ["sex"]},
    "methods": ["erm", {"name": "group_dro", "settings": {"eta": [0.01, 0.1]}}], "seeds": [0, 1],
    "model": {"net": "mlp", "hidden": 4}, "budget": {"iterations": 30, "evaluations": 3, "batch_size": 32},
}  # fmt: skip


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = 400
    score, age = rng.normal(size=n), rng.integers(18, 70, n)
    sex = np.where(rng.random(n) < 0.4, "F", "M")
    hired = np.where(score + 0.5 * (sex == "M") + rng.normal(size=n) > 0.5, "yes", "no")
    return pd.DataFrame({"sex": sex, "age": age, "score": score.round(4), "hired": hired})


@pytest.fixture
def folder(tmp_path, people):
    people.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """run(study, "--format", "json", out="a") -> (status, output, errors); fields of `study` replace the example's."""
    def start(study=None, *arguments: str, out: str = "out", name: str = "study.json"):
        content = {k: v for k, v in {**STUDY, **(study or {})}.items() if v is not ...}
        (folder / name).write_text(json.dumps(content))
        status = main(["run", str(folder / name), "--out", str(folder / out), *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return start
