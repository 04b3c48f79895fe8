from __future__ import annotations

import pytest

from core.data.load import save_upload
from core.types import StudySpec
from pages._ui import state


@pytest.fixture
def at(app, folder, csv):
    leaky = csv.decode().splitlines()
    lines = [leaky[0] + ",verdict"] + [line + "," + ("1" if line.endswith("yes") else "0") for line in leaky[1:]]
    ident = state.store().create_study(StudySpec("Mine", save_upload(folder, "a.csv", "\n".join(lines).encode())))
    return app("data", study=ident)


def widget(at, kind, suffix):
    return next(w for w in at.get(kind) if w.key and w.key.endswith(suffix))


def test_guesses_come_with_a_reason(at):
    assert widget(at, "selectbox", ":key").value == "person"
    table = next(d.value for d in at.dataframe if "reason" in d.value)
    why = table.set_index("column")["reason"]
    assert "one value only" in why["constant"] and "persons" in why["person"]


def test_a_column_that_gives_the_label_away_is_left_out_with_its_reason(at):
    table = next(d.value for d in at.dataframe if "reason" in d.value).set_index("column")
    assert table.loc["verdict", "use"] == "dropped" and "predicts the label" in table.loc["verdict", "reason"]


def test_another_label_is_looked_at_for_leaks_of_its_own(at):
    widget(at, "selectbox", ":label").set_value("verdict").run()
    assert not at.exception
    assert any("hired" in w.value for w in at.warning)
    widget(at, "button", ":leaks").click().run()
    assert not at.warning and not at.exception
    table = next(d.value for d in at.dataframe if "reason" in d.value).set_index("column")
    assert table.loc["hired", "use"] == "dropped"


def test_roles_are_read_from_the_form(at):
    widget(at, "radio", ":positive").set_value("no")
    widget(at, "multiselect", ":attributes").set_value(["sex"])
    widget(at, "selectbox", ":weight").set_value("hours").run()
    widget(at, "button", ":confirm").click().run()
    (row,) = state.store().studies()
    roles = row.spec.roles
    assert (roles.label, roles.positive, roles.attributes, roles.weight, roles.key) == (
        "hired", "no", ("sex",), "hours", "person")
    assert set(roles.dropped) == {"constant", "verdict"}
