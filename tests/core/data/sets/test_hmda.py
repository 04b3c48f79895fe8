from __future__ import annotations

import pytest

from core.data.sets.hmda import DATASET


def test_rows_rate_and_groups(opened):
    hmda = opened(DATASET)
    assert hmda.frame.shape == (2_380, 14)
    assert hmda.data.classes == ("not denied", "denied") and hmda.data.y.sum() == 285
    assert hmda.sizes == {"applicants not Black": 2_041, "Black applicants": 339}
    assert hmda.rates["Black applicants"] == pytest.approx(0.283, abs=1e-3)
    assert hmda.rates["applicants not Black"] == pytest.approx(0.0926, abs=1e-4)


def test_smallest_cell_of_race_and_marital_status(opened):
    frame = opened(DATASET).frame
    cell = frame[(frame["race"] == "Black applicants") & (frame["marital status"] == "not single")]
    assert len(cell) == 164 and (cell["decision"] == "denied").sum() == 45


def test_denied_mortgage_insurance_is_a_leak_and_left_out(opened):
    hmda = opened(DATASET)
    insured = hmda.frame["mortgage insurance"] == "denied insurance"
    assert insured.sum() == 48 and (hmda.frame.loc[insured, "decision"] == "denied").sum() == 44
    assert "mortgage insurance" not in hmda.data.frame


def test_credit_histories_are_words(opened):
    frame = opened(DATASET).frame
    assert frame["consumer credit history"].value_counts()["no slow payments"] == 1_353
    assert frame["mortgage payment history"].value_counts()["no history"] == 1_571
