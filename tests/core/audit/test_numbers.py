from __future__ import annotations

import numpy as np
import pandas as pd

from core.audit.numbers import count_numbers, count_table, draw_worlds
from core.audit.prepare import make_predictions
from core.types import AuditSpec

TABLE = pd.DataFrame({"y": list("abcabc"), "p": list("abcabb"), "g": list("xxxyyy")})


def test_several_classes_have_macro_and_one_against_rest_forms():
    rows = make_predictions(TABLE, AuditSpec("y", "", ("p",), attributes=("g",)))
    worlds = draw_worlds(rows, 0, 50, np.random.default_rng(0))
    found = {m.metric.name: m for m in count_numbers(rows, 0, worlds)}
    assert {"accuracy", "f1_macro", "tpr[c]"} <= found.keys()
    assert found["tpr[c]"].value.tolist() == [1.0, 0.0, 0.5]
    assert count_table(rows, 0).sum() == 6 and (worlds.sum((-2, -1)) == 3).all()
