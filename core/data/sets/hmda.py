"""HMDA Boston: mortgage applications of 1990."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings, yes_no
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

NAMES = {
    "deny": "decision",
    "pirat": "payments to income",
    "hirat": "housing expense to income",
    "lvrat": "loan to value",
    "chist": "consumer credit history",
    "mhist": "mortgage payment history",
    "phist": "public bad credit record",
    "unemp": "unemployment in the industry",
    "selfemp": "employment",
    "insurance": "mortgage insurance",
    "condomin": "property",
    "afam": "race",
    "single": "marital status",
    "hschool": "schooling",
}
CONSUMER = {
    1: "no slow payments",
    2: "one or two slow payments",
    3: "more than two slow payments",
    4: "too short to judge",
    5: "60 days overdue",
    6: "90 days overdue",
}
MORTGAGE = {1: "no late payments", 2: "no history", 3: "one or two late payments", 4: "more than two late payments"}
YES_NO = {
    "deny": ("denied", "not denied"),
    "phist": ("bad record", "no bad record"),
    "selfemp": ("self-employed", "employee"),
    "insurance": ("denied insurance", "not denied insurance"),
    "condomin": ("condominium", "not a condominium"),
    "afam": ("Black applicants", "applicants not Black"),
    "single": ("single", "not single"),
    "hschool": ("high-school diploma", "no high-school diploma"),
}

CARD = Card(
    source="Federal Reserve Bank of Boston, collected under the Home Mortgage Disclosure Act in 1990 (Munnell et al. "
    "1996), in the form of Stock and Watson (2007), taken from the R package AER.",
    licence="US government data; the R package AER that carries it is GPL-2 or GPL-3 (general knowledge, not from a "
    "licence file of the data)",
    credit="Alicia Munnell, Geoffrey Tootell, Lynn Browne and James McEneaney, 1996; Christian Kleiber and Achim "
    "Zeileis (AER)",
    label="Whether a mortgage application was turned down. Positive: denied, 12.0 % of the rows, the harmful outcome.",
    groups="Race as the application recorded it, Black or not (the file does not say more), and whether the applicant "
    "is single. By default the groups are the two of race.",
    harms=(
        "The decisions of loan officers in 1990 are the label: Black applicants were denied in 28.3 % of cases, "
        "others in 9.3 %, and whether that gap is discrimination is exactly what the original study was about. A "
        "model that fits the label well reproduces it.",
        "The data are small (2,380 rows, 339 Black applicants): about 24 denied Black applicants are in the test "
        "part, so intervals are wide and must be read.",
        "Denied mortgage insurance is decided together with the loan: 44 of the 48 who were denied it were denied the "
        "loan. It is left out as a leak.",
        "Credit history and debt ratios carry earlier discrimination into the features.",
        "Only people who applied are seen; those discouraged from applying are not.",
        "The data set loanapp of the R package wooldridge comes from the same study; using both is using one twice.",
    ),
    n_rows=2_380,
    n_columns=14,
)


def load(options: Mapping[str, Any]) -> Table:
    """2,380 rows, 14 columns."""
    settings((), options)
    frame = read_csv("hmda_boston.csv.gz")
    for column, (yes, no) in YES_NO.items():
        frame[column] = yes_no(frame[column], yes, no)
    frame["chist"] = in_words(frame["chist"], CONSUMER)
    frame["mhist"] = in_words(frame["mhist"], MORTGAGE)
    return Table(frame.rename(columns=NAMES))


def roles(options: Mapping[str, Any]) -> Roles:
    """Denied is positive; race and marital status are the attributes."""
    settings((), options)
    why = "it is decided together with the loan: 44 of the 48 who were denied insurance were denied the loan"
    who = ("race", "marital status")
    return Roles(label="decision", positive="denied", attributes=who, dropped={"mortgage insurance": why})


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Black applicants and the others."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("race"),))


DATASET = DatasetEntry(
    name="hmda", title="Mortgage applications (HMDA Boston)", card=CARD, load=load, roles=roles, groups=groups, order=30
)
