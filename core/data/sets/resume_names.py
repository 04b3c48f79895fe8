"""Résumé names: the audit experiment of Bertrand and Mullainathan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings, yes_no
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

NAMES = {
    "gender": "sex of the name",
    "ethnicity": "race of the name",
    "call": "answer",
    "jobs": "jobs listed",
    "experience": "years of experience",
    "holes": "employment gaps",
    "school": "work while at school",
    "email": "email address",
    "computer": "computer skills",
    "special": "special skills",
    "college": "college degree",
    "minimum": "experience asked for",
    "equal": "equal opportunity employer",
    "wanted": "job wanted",
    "requirements": "any requirement",
    "reqexp": "experience required",
    "reqcomm": "communication required",
    "reqeduc": "education required",
    "reqcomp": "computer skills required",
    "reqorg": "organisation required",
}

CARD = Card(
    source="Field experiment in Boston and Chicago, 2001 and 2002: invented résumés with randomly drawn names were "
    "sent to newspaper job adverts. Taken from the R package AER.",
    licence="No explicit licence of the data; the R package AER that carries it is GPL-2 or GPL-3 (general knowledge, "
    "not from a licence file of the data)",
    credit="Marianne Bertrand and Sendhil Mullainathan, 2004; Christian Kleiber and Achim Zeileis (AER)",
    label="Whether an employer called back. Positive: called back, 8.0 % of the résumés, the wanted outcome.",
    groups="What the first name suggests: a Black-sounding or a White-sounding name, and a woman's or a man's name. "
    "By default the groups are race of the name × sex of the name.",
    harms=(
        "The names are the treatment: they were drawn at random, so the gap in calls (6.4 % for Black-sounding and "
        "9.7 % for White-sounding names) is caused by the name, and no feature can explain it away.",
        "Nobody's race is in the data, only what a name suggests; names also suggest class and age.",
        "A model is not needed to see the discrimination, and one trained here learns to repeat it: predicting the "
        "call is predicting the employer's bias.",
        "Calls are rare: at the usual threshold of 0.5 a logistic regression calls nobody back, so look at rates and "
        "thresholds, not accuracy. The smallest group, Black-sounding men's names, has 549 résumés and 32 calls.",
        "About four résumés went to each advert, but this file does not number the adverts, so answers of one "
        "employer can be in both training and test part.",
        "Two cities, four kinds of office and sales jobs, twenty years ago; a call is not a job.",
    ),
    n_rows=4_870,
    n_columns=27,
)


def load(options: Mapping[str, Any]) -> Table:
    """4,870 rows, 27 columns."""
    settings((), options)
    frame = read_csv("resume_names.csv.gz")
    frame["ethnicity"] = in_words(frame["ethnicity"], {"afam": "Black-sounding name", "cauc": "White-sounding name"})
    frame["gender"] = in_words(frame["gender"], {"female": "woman's name", "male": "man's name"})
    frame["call"] = yes_no(frame["call"], "called back", "no call")
    frame["city"] = in_words(frame["city"], {"boston": "Boston", "chicago": "Chicago"})
    return Table(frame.rename(columns=NAMES))


def roles(options: Mapping[str, Any]) -> Roles:
    """Called back is positive; what the name suggests are the attributes."""
    settings((), options)
    why = "it is the treatment itself: what it suggests is in race of the name and sex of the name"
    suggested = ("race of the name", "sex of the name")
    return Roles(label="answer", positive="called back", attributes=suggested, dropped={"name": why})


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Race of the name × sex of the name: four groups."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("race of the name"), AttributeSpec("sex of the name")))


DATASET = DatasetEntry(
    name="resume_names", title="Résumé names experiment", card=CARD, load=load, roles=roles, groups=groups, order=60
)
