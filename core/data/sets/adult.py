"""Adult census income, United States 1994."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

SEX = {"Female": "women", "Male": "men"}
RACE = {
    "White": "White",
    "Black": "Black",
    "Asian-Pac-Islander": "Asian or Pacific Islander",
    "Amer-Indian-Eskimo": "American Indian or Eskimo",
    "Other": "other race",
}

CARD = Card(
    source="UCI Machine Learning Repository, Adult; drawn from the 1994 Current Population Survey of the US Census "
    "Bureau. Both parts of the original file are joined.",
    licence="CC BY 4.0, as stated by the UCI catalogue",
    credit="Barry Becker and Ronny Kohavi, 1996",
    label="Whether a person earned more than 50,000 dollars a year. Positive: >50K, 23.9 % of the rows.",
    groups="Sex (two values) and race (five values) as the census recorded them; age in years. By default the groups "
    "are sex × race.",
    harms=(
        "The cut at 50,000 dollars is arbitrary and high for 1994: it leaves 30 % of the men but 11 % of the women and "
        "12 % of Black people on the positive side, and both fairness gaps and the effect of a mitigation change when "
        "the cut moves (Ding et al. 2021).",
        "The label records unequal pay as it was in 1994; a model that is accurate repeats it, and nobody is paid by "
        "such a model, so results say little about a real decision.",
        "Relationship (husband, wife) nearly gives the sex, so hiding the sex column does not hide sex.",
        "The smallest group, women of other race, has 155 rows and 11 positives: about 3 positives in the test part.",
        "Some answers are missing: workclass (2,799 rows), occupation (2,809) and native country (857).",
        "52 rows repeat an earlier row, and capital gain stops at 99,999 for 244 people.",
        "The census recorded two sexes and one race from a short list; people who fit neither are not in the data.",
    ),
    n_rows=48_842,
    n_columns=16,
)


def load(options: Mapping[str, Any]) -> Table:
    """48,842 rows, 16 columns; "?" is missing."""
    settings((), options)
    frame = read_csv("adult.csv.gz", missing=("?",))
    frame.columns = [c.replace("_", " ") for c in frame.columns]
    frame["sex"] = in_words(frame["sex"], SEX)
    frame["race"] = in_words(frame["race"], RACE)
    return Table(frame)


def roles(options: Mapping[str, Any]) -> Roles:
    """Income >50K is positive; sex, race and age are the attributes."""
    settings((), options)
    return Roles(
        label="income",
        positive=">50K",
        attributes=("sex", "race", "age"),
        dropped={
            "fnlwgt": "it is the survey weight, how many people a row stands for, and says nothing about the person; "
            "it can be chosen as the sample weight instead",
            "education num": "it repeats education as a number from 1 to 16",
            "uci split": "it says which part of the original file a row came from",
        },
    )


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Sex × race: ten groups."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("sex"), AttributeSpec("race")))


DATASET = DatasetEntry(
    name="adult", title="Adult census income", card=CARD, load=load, roles=roles, groups=groups, order=10
)
