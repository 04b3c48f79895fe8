"""CPS 1988 wages: weekly wages of men in the United States."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.data.sets._files import in_words, read_csv, settings, yes_no
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

WAGE, LOG_WAGE = "weekly wage", "log of the weekly wage"
CUT = 750.0
NAMES = {"wage": WAGE, "education": "years of education", "experience": "years of experience", "ethnicity": "race",
         "smsa": "area", "parttime": "working time"}  # fmt: skip
PARAMS = (
    Param("as_classes", False, title="Predict two classes",
          help=f"Asks whether the wage is {CUT:g} dollars a week or more, which 28 % of the men earn. The cut is a "
          "choice of this app, not of the data."),
)  # fmt: skip

CARD = Card(
    source="US Census Bureau, Current Population Survey of March 1988: employed men between 18 and 70, in the form of "
    "the R package AER.",
    licence="US government data; the R package AER that carries it is GPL-2 or GPL-3 (general knowledge, not from a "
    "licence file of the data)",
    credit="US Census Bureau; Herman Bierens and Donna Ginther, 2001; Christian Kleiber and Achim Zeileis (AER)",
    label="The natural logarithm of the weekly wage in dollars; a number to predict. As two classes: positive is a "
    "wage "
    f"of {CUT:g} dollars or more.",
    groups="Race as the survey recorded it, Black or White; region; area. By default the groups are the two of race.",
    harms=(
        "Only employed men are in the data: nothing here can be said about women, nor about people whom nobody hired.",
        "The wage of 1988 is the label, unequal pay included: the median is 380 dollars for Black and 538 for White "
        "men.",
        "Experience is computed from age and schooling, not observed, and is below zero for 438 men.",
        "With seven columns 2,128 rows repeat an earlier row; these are different men and are kept.",
        "Some wages are very high (up to 18,777 dollars a week), hence the logarithm.",
        "The smallest cell of race × region, Black men in the West, has 195 rows.",
        "The cut into two classes is arbitrary.",
    ),
    n_rows=28_155,
    n_columns=8,
)


def load(options: Mapping[str, Any]) -> Table:
    """28,155 rows, 8 columns: the wage in dollars and its logarithm among them."""
    settings(PARAMS, options)
    frame = read_csv("cps1988_wages.csv.gz")
    frame["ethnicity"] = in_words(frame["ethnicity"], {"cauc": "White", "afam": "Black"})
    frame["smsa"] = yes_no(frame["smsa"], "metropolitan", "not metropolitan")
    frame["parttime"] = yes_no(frame["parttime"], "part-time", "full-time")
    frame["region"] = in_words(frame["region"], {w: w.capitalize() for w in ("south", "midwest", "northeast", "west")})
    frame.insert(1, LOG_WAGE, np.log(frame["wage"]))
    return Table(frame.rename(columns=NAMES))


def roles(options: Mapping[str, Any]) -> Roles:
    """The logarithm of the wage is a number to predict, or two classes: 750 dollars a week or more."""
    who = ("race", "region", "area")
    if settings(PARAMS, options)["as_classes"]:
        dropped = {LOG_WAGE: "it is the label itself"}
        return Roles(label=WAGE, positive="yes", attributes=who, threshold=CUT, dropped=dropped)
    return Roles(label=LOG_WAGE, attributes=who, task="regression", dropped={WAGE: "it is the label itself"})


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Black and White men."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec("race"),))


DATASET = DatasetEntry(
    name="cps_wages", title="Weekly wages (CPS 1988)", card=CARD, load=load, roles=roles, groups=groups, params=PARAMS,
    order=150,
)  # fmt: skip
