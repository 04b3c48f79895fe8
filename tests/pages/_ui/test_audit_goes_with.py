from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec
from pages._ui.audit_goes_with import said


@pytest.fixture
def ident(folder):
    """"leader" in a letter helps men and harms women; *degree* helps both."""
    rng, n = np.random.default_rng(0), 1500
    woman, leader, degree = rng.random(n) < 0.5, rng.random(n) < 0.4, rng.random(n) < 0.4
    logit = 1.5 * leader * np.where(woman, -1, 1) + 1.2 * (degree - 0.4)
    letter = [f"person {k} worked with us for long{' as a leader' * a}{' with a *degree*' * b}" for k, a, b in
              zip(range(n), leader.tolist(), degree.tolist(), strict=True)]
    frame = pd.DataFrame({"letter": letter, "town": rng.choice(["a", "b"], n), "sex": np.where(woman, "women", "men"),
                          "hired": np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "yes", "no")})
    folder.mkdir(parents=True, exist_ok=True)
    data = save_upload(folder, "letters.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Letters", data, AuditSpec("", "yes", ("hired",), attributes=("sex",))).id


def words(at):
    return next(d.value for d in at.dataframe if "mine" in d.value).set_index("what")


def test_nothing_is_looked_for_until_asked(app, ident):
    at = app("audit", audit=ident, view="why")
    assert not at.exception and not any("mine" in d.value for d in at.dataframe)


def test_a_word_that_turns_around_between_groups_is_told_with_examples(app, ident):
    at = app("audit", audit=ident, view="why", why_goes="1")
    assert not at.exception
    shown = texts(at)
    assert "turn around between strata" in shown or "turns around between strata" in shown
    table = words(at)
    row = table.loc["letter: “leader”"]
    assert row["turn"] == "p < 0.001" and {row["s0"][0], row["s1"][0]} == {"+", "−"}
    assert table.loc["letter: “degree”", "turn"] == "same sign"
    cells = next(d.value for d in at.dataframe if "stratum" in d.value)
    assert set(cells["stratum"]) == {"men", "women"} and cells["text"].str.startswith("person").all()


def test_the_other_question_and_other_strata_lie_in_the_address(app, ident):
    at = app("audit", audit=ident, view="why", why_goes="1", goes_target="group", goes_by="1", goes_k="3")
    assert not at.exception and "men rather than" in texts(at)
    assert len(words(at)) <= 9


def test_nothing_sure_is_said():
    found = SimpleNamespace(asked="predicted yes", findings=(), candidates=SimpleNamespace(names=(("a", "b"),)))
    assert said(found, 0.95) == "Of 1 word or value looked at, none surely goes with **predicted yes** within the " \
        "strata."
