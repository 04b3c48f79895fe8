from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec


@pytest.fixture
def ident(folder):
    """400 people: the truth follows x, men are predicted by x and women are all refused."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    x, sex = rng.normal(size=400), np.where(np.arange(400) % 2 == 0, "women", "men")
    y = np.where(x + 0.4 * rng.normal(size=400) > 0, "yes", "no")
    frame = pd.DataFrame({"y": y, "said": np.where((x > 0) & (sex == "men"), "yes", "no"), "sex": sex, "x": x,
                          "name": [f"person {k}" for k in range(400)]})
    data = save_upload(folder, "alike.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "Alike", data, AuditSpec("y", "yes", ("said",), attributes=("sex",))).id


def test_alike_people_of_two_groups_get_other_answers(app, ident):
    at = app("audit", audit=ident, view="people", people_part="alike")
    assert not at.exception and "5 most alike for each of 400 people" in texts(at)
    table = next(d.value for d in at.dataframe if "Alike people with another answer" in d.value).set_index("Group")
    assert set(table.index) == {"women", "men"} and "%" in table.iloc[0, -1]
    assert "Columns used: x" in texts(at) and "name (400 different words)" in texts(at)


def test_the_number_of_neighbours_lies_in_the_address_and_too_many_are_refused(app, ident):
    assert "20 most alike" in texts(app("audit", audit=ident, view="people", people_part="alike", people_k="20"))


def test_the_refused_group_is_decided_against_the_odds(app, ident):
    at = app("audit", audit=ident, view="people", people_part="odds")
    assert not at.exception and "Most so among women, least among men" in texts(at)
    assert "larger than chance explains" in texts(at) and "The labels agree" in texts(at)
    table = next(d.value for d in at.dataframe if "Group" in d.value and len(d.value.columns) > 5).set_index("Group")
    assert table.loc["men", "Accepted although likely negative"] != table.loc["women",
                                                                              "Accepted although likely negative"]
    assert table.loc["women", "Accepted although likely negative"].startswith("0.0 %")
    assert "definition reconstructed" in texts(at)


def test_too_few_rows_are_said_in_words(app, folder):
    folder.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"y": ["yes", "no"] * 10, "said": ["yes", "no"] * 10, "sex": ["f"] * 10 + ["m"] * 10,
                          "x": range(0, 100, 5)})
    data = save_upload(folder, "few.csv", frame.to_csv(index=False).encode())
    few = add_audit(folder, "Few", data, AuditSpec("y", "yes", ("said",), attributes=("sex",))).id
    at = app("audit", audit=few, view="people", people_part="odds")
    assert not at.exception and "at least 50" in texts(at)
    assert "1 to 19" in texts(app("audit", audit=few, view="people", people_part="alike", people_k="40"))
