"""German credit, 1973-1975, with the words of the corrected code table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

# The words published with the original file belong to other codes in several columns. These follow the corrected
# table (Groemping 2019, South German Credit); a code keeps its number (A14 is 4) except where the original swapped
# the two values (foreign worker, dependants).
WORDS: dict[str, dict[Any, str]] = {
    "checking": {
        "A11": "no checking account", "A12": "below 0 DM", "A13": "0 to 199 DM",
        "A14": "200 DM or more, or salary account",
    },
    "credit_history": {
        "A30": "delayed payment in the past", "A31": "critical account or credits elsewhere",
        "A32": "no earlier credits, or all paid back", "A33": "present credits paid duly so far",
        "A34": "all credits at this bank paid back",
    },
    "purpose": {
        "A40": "other purpose", "A41": "new car", "A42": "used car", "A43": "furniture or equipment",
        "A44": "radio or television", "A45": "domestic appliances", "A46": "repairs", "A47": "education",
        "A48": "vacation", "A49": "retraining", "A410": "business",
    },
    "savings": {
        "A61": "unknown or none", "A62": "under 100 DM", "A63": "100 to 499 DM", "A64": "500 to 999 DM",
        "A65": "1,000 DM or more",
    },
    "employment": {
        "A71": "unemployed", "A72": "under 1 year", "A73": "1 to 3 years", "A74": "4 to 6 years",
        "A75": "7 years or more",
    },
    "installment_rate": {1: "35 % of income or more", 2: "25 to 34 %", 3: "20 to 24 %", 4: "under 20 %"},
    "personal_status_sex": {
        "A91": "man, divorced or separated", "A92": "woman not single, or man single", "A93": "man, married or widowed",
        "A94": "woman, single",
    },
    "other_debtors": {"A101": "none", "A102": "co-applicant", "A103": "guarantor"},
    "residence_since": {1: "under 1 year", 2: "1 to 3 years", 3: "4 to 6 years", 4: "7 years or more"},
    "property": {
        "A121": "unknown or none", "A122": "car or other", "A123": "savings contract or life insurance",
        "A124": "real estate",
    },
    "other_installment": {"A141": "at a bank", "A142": "at stores", "A143": "none"},
    "housing": {"A151": "for free", "A152": "rented", "A153": "owned"},
    "existing_credits": {1: "1", 2: "2 or 3", 3: "4 or 5", 4: "6 or more"},
    "job": {
        "A171": "unemployed or unskilled, not resident", "A172": "unskilled, resident", "A173": "skilled or official",
        "A174": "manager, self-employed or highly qualified",
    },
    "people_liable": {1: "0 to 2", 2: "3 or more"},
    "telephone": {"A191": "no telephone", "A192": "telephone"},
    "foreign_worker": {"A201": "not a foreign worker", "A202": "foreign worker"},
    "risk_1good_2bad": {1: "good", 2: "bad"},
}  # fmt: skip
NAMES = {
    "checking": "checking account",
    "personal_status_sex": "sex and marital status",
    "residence_since": "years at this address",
    "existing_credits": "credits at this bank",
    "other_installment": "other instalments",
    "installment_rate": "instalment rate",
    "people_liable": "dependants",
    "risk_1good_2bad": "risk",
}

CARD = Card(
    source="UCI Machine Learning Repository, Statlog German Credit: a southern German bank, 1973 to 1975. Codes are "
    "worded after the corrected table of Ulrike Grömping (2019).",
    licence="CC BY 4.0, as stated by the UCI catalogue",
    credit="Hans Hofmann, 1994; Ulrike Grömping, 2019 (corrected code table)",
    label="Whether a credit that was granted went bad. Positive: bad, 30 % of the rows. The sample was drawn that "
    "way; the bank's true share of bad credits was far lower.",
    groups="Age, cut at 26 by default as in much of the fairness literature; foreign worker (37 of 1,000). Sex is not "
    "offered.",
    harms=(
        "Sex cannot be recovered: one code covers women who are not single together with men who are single (310 "
        "rows). Many papers report a fairness gap by sex on this file all the same; those numbers are not about sex "
        "(Grömping 2019).",
        "The words published with the file are wrong in several columns (checking account, savings, housing, purpose, "
        "foreign worker and more); the corrected ones are used here, so results read differently from older papers.",
        "With 1,000 rows and 190 people under 26 the test part holds about 20 bad credits of young people: intervals "
        "are wide.",
        "The documentation asks to weigh a bad credit taken for good five times as heavily as the opposite; accuracy "
        "ignores that, so look at the expected cost.",
        "Only granted credits are seen, bad ones were over-sampled, and the bank is of fifty years ago.",
    ),
    n_rows=1_000,
    n_columns=21,
)


def load(options: Mapping[str, Any]) -> Table:
    """1,000 rows, 21 columns."""
    settings((), options)
    frame = read_csv("german_credit.csv.gz")
    for column, words in WORDS.items():
        frame[column] = in_words(frame[column], words)
    frame = frame.rename(columns=NAMES)
    frame.columns = [c.replace("_", " ") for c in frame.columns]
    return Table(frame)


def roles(options: Mapping[str, Any]) -> Roles:
    """Bad is positive; age and foreign worker are the attributes."""
    settings((), options)
    return Roles(label="risk", positive="bad", attributes=("age", "foreign worker"))


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Under 26, and 26 or older."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("age", edges=(26.0,)),))


DATASET = DatasetEntry(
    name="german_credit", title="German credit", card=CARD, load=load, roles=roles, groups=groups, order=90
)
