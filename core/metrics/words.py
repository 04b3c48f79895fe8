"""Titles and explanations of measures, made from the metric's own words."""

from __future__ import annotations

from core.types import Metric

CRITERIA = {  # metric -> what the literature calls equality of it between groups
    "selection_rate": "Demographic parity",
    "tpr": "Equal opportunity",
    "fpr": "Predictive equality",
    "ppv": "Predictive parity",
    "accuracy": "Accuracy parity",
}
NOUNS = {"attr": ("group", "groups"), "subgroup": ("group", "groups of class × group"), "class": ("class", "classes")}


def inside(title: str) -> str:
    """A title as it reads inside a sentence.

    >>> inside("True positive rate"), inside("F1 score")
    ('true positive rate', 'F1 score')
    """
    return title if title[1:2].isdigit() or title[:2].isupper() else title[:1].lower() + title[1:]


def measure_title(metric: Metric, how: str, by: str) -> str:
    """Title of a metric under a reduction over a partition."""
    name, tail = inside(metric.title), {"subgroup": " (class × group)"}.get(by, "")
    one, many = NOUNS.get(by, NOUNS["attr"])
    criterion = CRITERIA.get(metric.name) if by == "attr" else None
    if how == "worst":
        return f"Worst-{one} {name}{tail}"
    if how in ("gap", "ratio"):
        between = "" if by == "attr" else f" between {many}"
        return f"{criterion or metric.title} {how}{between}"
    if how == "mean":
        return f"Mean {name} over {many}"
    if how == "to_overall":
        return f"Largest {name} gap to everyone{tail}"
    if how == "to_reference":
        return f"Largest {name} gap to the reference {one}{tail}"
    if how == "to_mean":
        return f"Largest {name} deviation from the mean of {many}"
    if how == "sum_to_overall":
        return f"{metric.title} equality difference{tail or (' (class)' if by == 'class' else '')}"
    if how == "power_mean":
        return f"Power mean of {name} over {many}"
    return metric.title


def measure_help(metric: Metric, how: str, by: str) -> str:
    """What the number means, in plain sentences, with what it leaves out."""
    name = inside(metric.title)
    one, many = NOUNS.get(by, NOUNS["attr"])
    criterion = CRITERIA.get(metric.name) if by == "attr" else None
    said = f" The literature calls equality here {criterion.lower()}." if criterion else ""
    undefined = f" A {one} in which the {name} is undefined ({metric.undefined}) is left out and named."
    if how == "worst":
        end = "lowest" if metric.higher_is_better else "highest"
        sentence = f"The {end} {name} among the {many}. With many small ones the worst is worse by chance alone."
    elif how == "gap":
        sentence = f"Largest minus smallest {name} among the {many}; 0 is equality.{said}"
    elif how == "ratio":
        sentence = f"Smallest {name} divided by the largest among the {many}; 1 is equality.{said}"
    elif how == "mean":
        sentence = f"The mean {name} of the {many}, each counting the same whatever its size."
    elif how == "to_overall":
        sentence = f"The largest distance of any {one}'s {name} from that of everyone together."
    elif how == "to_reference":
        sentence = f"The largest distance of any {one}'s {name} from that of the reference {one}."
    elif how == "to_mean":
        sentence = f"The largest distance of any {one}'s {name} from the mean of the {many}."
    elif how == "sum_to_overall":
        sentence = f"Distances of every {one}'s {name} from that of everyone, summed: more {many} give more."
    elif how == "power_mean":
        sentence = f"A mean of the {name} of the {many} (power 5) that leans towards the worst of them."
    else:
        return metric.help
    return f"{sentence}{undefined} {metric.help}"
