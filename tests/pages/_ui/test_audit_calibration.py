from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec

SPEC = AuditSpec("y", "yes", scores=("score",), threshold=0.5, attributes=("sex",))


@pytest.fixture
def make(folder):
    """An audit of 800 rows a group: men's scores mean what they say, women's are too high by one logit."""
    def start(spec: AuditSpec, scale: float = 1.0) -> str:
        rng = np.random.default_rng(1)
        score, women = rng.beta(2, 3, 1600), np.arange(1600) < 800
        p = np.where(women, 1 / (1 + np.e * (1 - score) / score), score)
        frame = pd.DataFrame({"y": np.where(rng.random(1600) < p, "yes", "no"), "score": scale * score,
                              "said": np.where(score > 0.5, "yes", "no"), "sex": np.where(women, "women", "men")})
        folder.mkdir(parents=True, exist_ok=True)
        data = save_upload(folder, "scores.csv", frame.to_csv(index=False).encode())
        return add_audit(folder, "Scores", data, spec).id
    return start


def test_scores_that_mean_less_for_one_group_are_named_with_what_they_stand_for(app, make):
    at = app("audit", audit=make(SPEC), view="calibration")
    assert not at.exception and not at.error
    said = texts(at)
    assert "do not mean the same for every group" in said and "women (scores too high)" in said
    table = next(d.value for d in at.dataframe if "stands" in d.value).set_index("group")
    assert 20 < float(table.loc["women", "stands"].split()[0]) < 34
    assert 44 < float(table.loc["men", "stands"].split()[0]) < 56
    assert table.loc["men", "p"] > "0.05" and table.loc["women", "p"].startswith(("<", "0.00"))


def test_the_score_that_is_asked_about_lies_in_the_address(app, make):
    at = app("audit", audit=make(SPEC), view="calibration", calscore="80")
    assert "Of 100 people scored 80 %" in texts(at) and at.number_input(key="view:calscore").value == 80


def test_points_are_ordered_but_never_called_calibrated(app, make):
    spec = AuditSpec("y", "yes", scores=("score",), threshold=500.0, score_kind="points", attributes=("sex",))
    at = app("audit", audit=make(spec, 1000.0), view="calibration")
    assert not at.exception and not at.error
    assert "These scores are points" in texts(at)
    assert not any("stands" in d.value for d in at.dataframe)


def test_a_model_without_scores_says_so(app, make):
    spec = AuditSpec("y", "yes", ("said",), ("score",), 0.5, attributes=("sex",))
    at = app("audit", audit=make(spec), view="calibration", model="0")
    assert not at.exception and "gives predictions without scores" in texts(at)
