from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.load import save_upload
from core.store.audits import add_audit, read_audit


@pytest.fixture
def kept(folder):
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"outcome": rng.choice(["good", "bad"], 80), "score": rng.random(80),
                          "sex": rng.choice(["f", "m"], 80), "w": 1.0, "who": np.arange(80) // 2})
    return add_audit(folder, "Loans", save_upload(folder, "loans.csv", frame.to_csv(index=False).encode()))


def test_columns_are_guessed_and_the_button_keeps_what_the_form_says(app, folder, kept):
    at = app("audit", audit=kept.id)
    key = f"columns:{kept.id}"
    assert at.selectbox(key=f"{key}:label").value == "outcome"
    assert at.multiselect(key=f"{key}:scores").value == ["score"]
    assert at.multiselect(key=f"{key}:attributes").value == ["sex"]
    at.selectbox(key=f"{key}:positive:outcome").set_value("good").run()
    at.number_input(key=f"{key}:cut").set_value(0.4).run()
    at.selectbox(key=f"{key}:person").set_value("who").run()
    at.button(key=f"{key}:go").click().run()
    assert not at.exception and not at.error
    spec = read_audit(folder, kept.id).spec
    assert (spec.label, spec.positive, spec.scores) == ("outcome", "good", ("score",))
    assert (spec.threshold, spec.person) == (0.4, "who")
    assert "80 of 80 rows are counted" in " ".join(str(m.value) for m in at.markdown).replace("\\", "")


def test_what_does_not_fit_is_said_and_nothing_is_kept(app, folder, kept):
    at = app("audit", audit=kept.id)
    key = f"columns:{kept.id}"
    at.multiselect(key=f"{key}:scores").set_value([]).run()
    at.button(key=f"{key}:go").click().run()
    assert "Prediction" in at.error[0].value and read_audit(folder, kept.id).spec is None
