from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import fill, texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec

SPEC = AuditSpec("y", "yes", scores=("score",), threshold=0.5, attributes=("sex",))


@pytest.fixture
def make(folder):
    """An audit of 600 rows a group: the model is sure of men and knows little of women."""
    def start(spec: AuditSpec = SPEC, n: int = 600) -> str:
        rng = np.random.default_rng(1)
        women = np.arange(2 * n) < n
        score = np.where(women, rng.uniform(0.3, 0.7, 2 * n), rng.choice([0.03, 0.97], 2 * n))
        frame = pd.DataFrame({"y": np.where(rng.random(2 * n) < score, "yes", "no"), "score": score,
                              "sex": np.where(women, "women", "men")})
        folder.mkdir(parents=True, exist_ok=True)
        data = save_upload(folder, "scores.csv", frame.to_csv(index=False).encode())
        return add_audit(folder, "Scores", data, spec).id
    return start


def table(at):
    return next(d.value for d in at.dataframe if "unclear" in d.value).set_index("group")


def test_the_group_with_unclear_sets_is_named(app, make):
    at = app("audit", audit=make(), view="sets")
    assert not at.exception and not at.error
    said = texts(at)
    assert "among women" in said and "does not name one class" in said and "larger than chance explains" in said
    unclear = {g: float(v.split()[0]) for g, v in table(at)["unclear"].items()}
    assert unclear["women"] > 60 > 10 > unclear["men"]


def test_own_thresholds_hold_the_truth_in_every_group(app, make):
    at = app("audit", audit=make(), view="sets", setpolicy="group", setmiss="20")
    assert not at.exception
    held = {g: float(v.split()[0]) for g, v in table(at)["covered"].items()}
    assert abs(held["women"] - 80) < 8 and held["men"] > 76
    assert at.number_input(key="view:setmiss").value == 20


def test_too_few_rows_for_the_promise_are_said_in_words(app, make):
    at = app("audit", audit=make(n=12), view="sets", setmiss="1")
    assert not at.exception and "are too few for 99 %" in texts(at)
    assert set(table(at)["threshold"]) == {"none: all classes"}


def test_points_have_no_sets(app, make):
    spec = AuditSpec("y", "yes", scores=("score",), threshold=0.5, score_kind="points", attributes=("sex",))
    at = app("audit", audit=make(spec), view="sets")
    assert not at.exception and "No sets, because" in texts(at)


def test_a_trained_model_has_sets(app, folder):
    at = app("audit", study=fill(folder), view="sets")
    assert not at.exception and not at.error and "everyone" in table(at).index
