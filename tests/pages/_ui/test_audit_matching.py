from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import fill, texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec


def brought(folder, frame, title, **spec):
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, f"{title}.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, title, data, AuditSpec(**({"positive": "yes", "predictions": ("said",),
                                                        "attributes": ("sex",)} | spec))).id


def lending(effect, n=3000):
    """Women have less income, and the decision looks at income alone, but for `effect`."""
    rng = np.random.default_rng(0)
    woman, town = rng.random(n) < 0.4, rng.choice(["north", "south"], n)
    income = rng.normal(50 - 10 * woman, 12)
    rate = np.clip(1 / (1 + np.exp(-(income - 45) / 8)) * 0.8 + 0.1 + effect * woman, 0, 1)
    return pd.DataFrame({"income": income.round(2), "town": town, "sex": np.where(woman, "women", "men"),
                         "said": np.where(rng.random(n) < rate, "yes", "no")})


@pytest.fixture
def fair(folder):
    return brought(folder, lending(0.0), "Fair")


def numbers(at):
    return next(d.value for d in at.dataframe if "what" in d.value).set_index("what")["value"]


def test_a_gap_that_income_makes_is_gone_among_like_people(app, fair):
    at = app("audit", audit=fair, view="matching")
    said = texts(at)
    assert not at.exception and "women are predicted yes less often than men" in said
    assert "chance alone could make it" in said and "The pairs are not alike" not in said
    assert numbers(at)["Could be undone by"] == "undefined: chance alone explains the difference"
    assert "nothing else differs within pairs" in said


def test_a_direct_difference_stays_and_has_its_bound(app, folder):
    at = app("audit", audit=brought(folder, lending(-0.25), "Unfair"), view="matching")
    assert "more than chance explains" in texts(at) and "could undo this" in texts(at)
    assert numbers(at)["Could be undone by"].startswith("odds ") and "McNemar" in numbers(at)["Chance alone"]


def test_settings_lie_in_the_address(app, fair):
    at = app("audit", audit=fair, view="matching", match_exact="1", match_by="mahalanobis", match_again="1",
             match_cut="50")
    assert not at.exception and "linearised" in numbers(at)["Chance alone"]
    assert at.selectbox(key="view:match_cut").value == "50" and at.multiselect(key="view:match_exact").value == ["1"]


def test_leaving_income_out_leaves_the_gap(app, fair):
    at = app("audit", audit=fair, view="matching", match_without="0")
    assert "more than chance explains" in texts(at)


def test_matching_on_nothing_is_said(app, fair):
    at = app("audit", audit=fair, view="matching", match_without="0,1")
    assert not at.exception and "choose others" in texts(at)


def test_scores_are_compared_in_their_own_unit(app, folder):
    frame = lending(-0.2).assign(s=lambda f: np.where(f["said"] == "yes", 0.8, 0.3))
    ident = brought(folder, frame.drop(columns="said"), "Scores", predictions=(), scores=("s",), threshold=0.5)
    at = app("audit", audit=ident, view="matching", match_of="score")
    assert not at.exception and "The score of women is on average lower than that of men: −0." in texts(at)
    assert "paired t" in numbers(at)["Chance alone"]


@pytest.mark.parametrize("view", ["matching", "why"])
def test_trained_runs_of_two_and_of_several_classes_are_asked_too(app, folder, view):
    for study in (fill(folder), fill(folder, "penguins")):
        at = app("audit", study=study, view=view, why_goes="1")
        assert not at.exception and not at.error
    assert "are predicted wrongly" in texts(at), "with several classes the error is compared"
