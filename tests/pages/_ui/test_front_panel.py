from __future__ import annotations

import pandas as pd

from pages._ui import front_panel


def table(on, knee=None):
    n = len(on)
    return pd.DataFrame({"title": [f"M{i}" for i in range(n)], "settings": ["η = 1"] * n, "on_front": on,
                         "knee": [i == knee for i in range(n)]})


def test_the_front_is_told_with_its_knee():
    assert front_panel.standing(table([True, False, True], knee=2)) == (
        "2 of 3 settings are on the front; beyond its knee, M2 (η = 1), a gain costs more.")


def test_one_point_is_a_front_and_none_is_told_by_silence():
    assert front_panel.standing(table([True, False])) == "1 of 2 settings is on the front."
    assert front_panel.standing(table([False])) == "" and front_panel.standing(table([])) == ""
