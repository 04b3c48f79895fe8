from __future__ import annotations

import numpy as np
import pandas as pd

from pages._ui.front import View
from pages._ui.model_card import facts

VIEW = View("accuracy", "selection_rate.gap", ("test",), (), True, True, 0)


def said(**changes):
    row = {"x": 0.85, "y": 0.123, "n_seeds": 3, "on_front": True, "front_share": 0.4, "diverged": 0} | changes
    return facts(pd.Series(row), VIEW, "test").replace("\\", "").replace("\u2060", "")


def test_a_model_is_told_by_both_measures_and_how_sure_its_place_is():
    text = said()
    assert "Demographic parity gap **12.3 %**, Accuracy **85.0 %** on test rows, mean of 3 seeds." in text
    assert "On the front, and in 40 % of bootstrap worlds." in text


def test_diverged_seeds_and_undefined_values_are_named():
    assert "1 run diverged and is left out" in said(diverged=1)
    assert "**undefined**" in said(y=np.nan) and "Not on the front." in said(on_front=False, front_share=np.nan)
