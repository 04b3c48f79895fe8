from __future__ import annotations

import numpy as np

from core.data.sets.penguins import DATASET


def test_rows_species_and_sexes(opened):
    penguins = opened(DATASET)
    assert penguins.frame.shape == (344, 8)
    assert penguins.data.classes == ("Adelie", "Chinstrap", "Gentoo")
    assert np.bincount(penguins.data.y).tolist() == [152, 68, 124]
    assert penguins.sizes == {"male": 168, "female": 165, "sex missing": 11}


def test_the_island_predicts_the_species_and_is_hidden_from_the_model(opened):
    penguins = opened(DATASET)
    islands = penguins.frame.groupby("species")["island"].nunique()
    assert islands["Chinstrap"] == 1 and islands["Gentoo"] == 1
    assert list(penguins.data.frame.columns) == ["bill length, mm", "bill depth, mm", "flipper length, mm",
                                                 "body mass, g"]  # fmt: skip
