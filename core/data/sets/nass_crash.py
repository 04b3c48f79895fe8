"""NASS crashes: front-seat occupants in US car crashes, 1997-2002."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings, yes_no
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

NAMES = {
    "dvcat": "impact speed",
    "dead": "outcome",
    "frontal": "impact",
    "ageOFocc": "age",
    "yearacc": "year of the crash",
    "yearVeh": "model year",
    "abcat": "airbag use",
    "occRole": "seat",
    "deploy": "airbag deployed",
    "injSeverity": "injury severity",
}
SPEED = {"1-9km/h": "1–9 km/h", "10-24": "10–24 km/h", "25-39": "25–39 km/h", "40-54": "40–54 km/h", "55+": "55+ km/h"}
AIRBAG_USE = {"deploy": "deployed", "nodeploy": "did not deploy", "unavail": "no airbag"}
PARAMS = (
    Param(
        "use_weights",
        True,
        title="Use the survey weights",
        help="Counts every person as many times as the survey says. Off: every row counts once, and the 212 rows of "
        "weight zero come back.",
    ),
)

CARD = Card(
    source="US National Highway Traffic Safety Administration, NASS Crashworthiness Data System 1997 to 2002: "
    "front-seat occupants in police-reported crashes with a towed car, in the form of the R package DAAG.",
    licence="US government data; the R package DAAG that carries it is GPL-3 (general knowledge, not from a licence "
    "file of the data)",
    credit="NHTSA; Mary Meyer and Tremika Finney, 2005; John Maindonald and John Braun (DAAG)",
    label="Whether the person died. Positive: died, 4.5 % of the rows but 0.54 % with the survey weights.",
    groups="Sex, and whether the car had an airbag at the seat; age (16 and over). By default the groups are sex × "
    "airbag.",
    harms=(
        "Severe crashes were sampled far more often. Without the weights the death rate is 4.5 %, with them 0.54 %: "
        "eight times lower. Weights are used by default.",
        "The documentation calls the weights of uncertain accuracy; they run from 0 to 57,872, so all rows together "
        "are worth about 2,200 equal ones, and weighted intervals are wide.",
        "212 rows, none of them a death, have weight zero and stand for nobody; they are left out while weights are "
        "used.",
        "Injury severity has a value for killed, so it gives the label away (AUC .986 with it, .88 without) and is "
        "left out.",
        "Several people of one crash share fate and weight; the crash is the split key, so they stay in one part.",
        "Airbags are newer in newer cars, and the sample holds only cars that had to be towed: group differences here "
        "are not effects of airbags or of sex.",
        "The event is rare and at a threshold of 0.5 a logistic regression finds 8 % of the deaths; the fewest deaths "
        "of a group are 211 (women with an airbag).",
    ),
    n_rows=26_217,
    n_columns=15,
)


def load(options: Mapping[str, Any]) -> Table:
    """26,217 rows (26,005 with weights above zero), 15 columns; the vehicle's number is replaced by its crash's."""
    chosen = settings(PARAMS, options)
    frame = read_csv("nass_crash.csv.gz")
    frame["dvcat"] = in_words(frame["dvcat"], SPEED)
    frame["dead"] = in_words(frame["dead"], {"dead": "died", "alive": "survived"})
    frame["airbag"] = in_words(frame["airbag"], {"airbag": "airbag", "none": "no airbag"})
    frame["seatbelt"] = in_words(frame["seatbelt"], {"belted": "belted", "none": "not belted"})
    frame["frontal"] = yes_no(frame["frontal"], "frontal", "not frontal")
    frame["deploy"] = yes_no(frame["deploy"], "deployed", "not deployed")
    frame["sex"] = in_words(frame["sex"], {"f": "women", "m": "men"})
    frame["abcat"] = in_words(frame["abcat"], AIRBAG_USE)
    frame["occRole"] = in_words(frame["occRole"], {"driver": "driver", "pass": "passenger"})
    # unit:case:vehicle repeats every year; without the vehicle and with the year it names the crash
    frame["crash"] = frame["yearacc"].astype("str") + ":" + frame.pop("caseid").str.rsplit(":", n=1).str[0]
    notes: tuple[str, ...] = ()
    if chosen["use_weights"]:
        none = frame["weight"] <= 0
        notes = (f"{int(none.sum()):,} rows of weight zero were left out: they stand for nobody.",)
        frame = frame.loc[~none].reset_index(drop=True)
    return Table(frame.rename(columns=NAMES), notes=notes)


def roles(options: Mapping[str, Any]) -> Roles:
    """Died is positive; sex, airbag and age are the attributes; the crash keeps its rows together."""
    weighted = settings(PARAMS, options)["use_weights"]
    dropped = {
        "injury severity": "it has a value for killed, so it gives the label away",
        "airbag deployed": "it repeats airbag use",
    }
    if not weighted:
        dropped["weight"] = "it says how many people a row stands for and is not a fact about the person"
    return Roles(
        label="outcome", positive="died", attributes=("sex", "airbag", "age"), weight="weight" if weighted else None,
        key="crash", dropped=dropped,
    )  # fmt: skip


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Sex × airbag: four groups."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec("sex"), AttributeSpec("airbag")))


DATASET = DatasetEntry(
    name="nass_crash", title="Car crash deaths (NASS)", card=CARD, load=load, roles=roles, groups=groups, params=PARAMS,
    order=70,
)  # fmt: skip
