from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.audit.local import local_gaps
from core.audit.prepare import make_predictions
from core.types import AuditSpec
from pages._ui.audit_slices_local import _mark, _row


def found():
    rows = [("a", "women", "yes"), ("a", "men", "no"), ("b", "women", "no"), ("b", "men", "yes")] * 100
    frame = pd.DataFrame(rows, columns=["job", "sex", "p"])
    return local_gaps(make_predictions(frame, AuditSpec("", "yes", ("p",), attributes=("sex",))), features=("job",))


def test_a_region_is_a_row_with_its_gap_both_rates_and_the_adjusted_p():
    local = found()
    row = _row("job = a", next(r for r in local.regions if r.label == "job = a"), "✕ a gap")
    assert row["gap"].startswith("100.0 % (") and row["n"] == 200 and row["share"] == 0.5
    assert row["rates"].startswith("men 0.0 % (") and " and women 100.0 % (" in row["rates"]
    assert row["p"] == local.regions[0].p_holm
    everyone = _row("everyone", local.overall, "")
    assert everyone["p"] == local.overall.p == 1 and np.isnan(local.overall.p_holm)


def test_a_mark_says_in_words_whether_chance_explains_the_gap():
    region = found().regions[0]
    assert _mark(region, 0.95) == "✕ a gap"
    assert _mark(replace(region, p_holm=0.06), 0.95) == "? cannot tell" != _mark(replace(region, p_holm=0.06), 0.9)
