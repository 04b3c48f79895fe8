from __future__ import annotations

from types import SimpleNamespace

from core.types import Value
from pages._ui.audit_overview import offered


def group(**metrics):
    return SimpleNamespace(metrics=metrics)


def test_rates_that_no_group_has_are_not_offered_and_the_most_asked_for_come_first():
    known, unknown = Value(0.5, 0.4, 0.6, 10), Value(float("nan"), *[float("nan")] * 2, 0, "0 positives")
    found = SimpleNamespace(groups=[group(accuracy=known, npv=known, tpr=unknown, fpr=unknown),
                                    group(accuracy=known, npv=known, tpr=unknown, fpr=known)])
    assert offered(found) == ["fpr", "accuracy", "npv"]


def test_the_table_the_counts_and_the_other_tools_words_are_told(app, folder):
    at = app("audit")
    next(b for b in at.button if b.label == "Audit the COMPAS scores").click().run()
    frames = [d.value for d in at.dataframe]
    rates = next(f for f in frames if "Rows" not in f.columns and "n" in f.columns and "tpr" in f.columns)
    assert rates.set_index("group").loc["everyone", "n"] == 7214
    assert rates.set_index("group").loc["African-American", "fpr"].startswith("44.8 %")
    counts = next(f for f in frames if "tp" in f.columns).set_index("group").loc["Caucasian"]
    assert counts["tp"] + counts["fn"] + counts["fp"] + counts["tn"] == 2454
    said = " ".join(str(c.value) for c in at.caption).replace("\\", "")
    assert "Fairlearn" in said and "true_positive_rate" in said
