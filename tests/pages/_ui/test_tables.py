from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages._ui import tables


@pytest.mark.parametrize(("given", "words"), [
    ((0.7123, 0.681, 0.7404, ""), "71.2 % (68.1–74.0)"),
    ((np.nan, np.nan, np.nan, "0 positives"), "undefined, 0 positives"),
    ((np.nan, np.nan, np.nan, ""), "undefined"),
    ((0.5, np.nan, np.nan, ""), "50.0 %"),
])
def test_a_share_is_told_with_its_interval_or_its_reason(given, words):
    assert tables.cell(*given) == words


def test_what_is_no_share_has_no_per_cent():
    assert tables.cell(0.42, 0.4, 0.44, "", share=False) == "0.42 (0.40–0.44)"


def test_no_text_of_a_file_is_a_formula_of_a_spreadsheet():
    frame = pd.DataFrame({"group": ["=1+1", "+a", "-b", "@c", "plain"], "n": [-1, 2, 3, 4, 5]})
    back = pd.read_csv(io.BytesIO(tables.csv(frame)))
    assert back["group"].tolist() == ["'=1+1", "'+a", "'-b", "'@c", "plain"]
    assert back["n"].tolist() == frame["n"].tolist()


def script():
    import numpy as np
    import pandas as pd

    from pages._ui import tables

    found = pd.DataFrame({"group": ["a\nb", "everyone", "gap", "ratio"], "kind": ["group", "everyone", "gap", "ratio"],
                          "n": [3, 3, 3, 3], "tpr": [0.5, 0.5, 0.1, 0.9], "tpr_low": np.nan, "tpr_high": np.nan,
                          "tpr_undefined": ""})
    tables.rates(found, ["tpr"], key="t", alt="Rates")


def test_rows_of_gaps_have_no_number_of_people_and_ratios_no_per_cent():
    at = AppTest.from_function(script, default_timeout=20).run()
    shown = at.dataframe[0].value
    assert shown["group"].tolist() == ["a b", "everyone", "gap", "ratio"]
    assert shown["n"].isna().tolist() == [False, False, True, True]
    assert shown["tpr"].tolist() == ["50.0 %", "50.0 %", "10.0 %", "0.90"]


def test_axes_are_formatted_by_what_they_measure():
    share, other = tables.axis_columns("x", "accuracy"), tables.axis_columns("y", "mcc")
    assert share["x"]["type_config"]["format"] == "percent" and other["y_low"]["type_config"]["format"] == "%.3f"
