from __future__ import annotations

from core import registry
from core.metrics.words import inside, measure_help, measure_title


def test_titles_say_reduction_metric_and_partition():
    accuracy, tpr, rate = (registry.metric(name) for name in ("accuracy", "tpr", "selection_rate"))
    assert measure_title(accuracy, "worst", "attr") == "Worst-group accuracy"
    assert measure_title(accuracy, "worst", "subgroup") == "Worst-group accuracy (class × group)"
    assert measure_title(accuracy, "worst", "class") == "Worst-class accuracy"
    assert measure_title(tpr, "gap", "attr") == "Equal opportunity gap"
    assert measure_title(rate, "ratio", "attr") == "Demographic parity ratio"
    assert measure_title(accuracy, "gap", "class") == "Accuracy gap between classes"
    assert measure_title(accuracy, "mean", "subgroup") == "Mean accuracy over groups of class × group"
    assert measure_title(tpr, "to_overall", "attr") == "Largest true positive rate gap to everyone"
    assert measure_title(tpr, "to_reference", "attr") == "Largest true positive rate gap to the reference group"
    assert measure_title(tpr, "to_mean", "attr") == "Largest true positive rate deviation from the mean of groups"
    assert measure_title(tpr, "sum_to_overall", "attr") == "True positive rate equality difference"
    assert measure_title(tpr, "power_mean", "attr") == "Power mean of true positive rate over groups"


def test_help_says_what_is_left_out():
    assert "undefined (0 positives) is left out and named" in measure_help(registry.metric("tpr"), "gap", "attr")
    assert measure_help(registry.metric("tpr"), "", "all") == registry.metric("tpr").help


def test_names_keep_their_capitals_inside_sentences():
    assert inside("F1 score") == "F1 score" and inside("Precision") == "precision"
