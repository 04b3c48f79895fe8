from __future__ import annotations

import numpy as np
import pytest

from core.data.sets.cps_wages import DATASET


def test_rows_label_and_groups(opened):
    cps = opened(DATASET)
    assert len(cps.frame) == 28_155
    assert cps.data.roles.task == "regression"
    assert np.allclose(cps.data.y, np.log(cps.frame["weekly wage"])) and "weekly wage" not in cps.data.frame
    assert cps.sizes == {"White": 25_923, "Black": 2_232}
    medians = cps.frame.groupby("race")["weekly wage"].median()
    assert medians["Black"] == pytest.approx(379.87) and medians["White"] == pytest.approx(537.51)


def test_smallest_cell_of_race_and_region(opened):
    cells = opened(DATASET).frame.groupby(["race", "region"]).size()
    assert cells.idxmin() == ("Black", "West") and cells.min() == 195


def test_equal_rows_are_different_men_and_kept(opened):
    assert opened(DATASET).frame.duplicated().sum() == 2_128


def test_two_classes_are_cut_at_the_documented_wage(opened):
    cps = opened(DATASET, as_classes=True)
    assert cps.data.classes == ("weekly wage under 750", "weekly wage 750 or more")
    assert cps.data.y.mean() == pytest.approx(0.278, abs=1e-3)
    assert "log of the weekly wage" not in cps.data.frame
