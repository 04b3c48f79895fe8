"""COMPAS two-year recidivism, Broward County 2013-2014, as published by ProPublica."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from core.data.sets._files import in_words, read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

LAST_GOOD_DAY = "2014-04-01"
NAMES = {
    "compas_screening_date": "screening date",
    "age_cat": "age band",
    "juv_fel_count": "juvenile felonies",
    "juv_misd_count": "juvenile misdemeanors",
    "juv_other_count": "other juvenile offences",
    "priors_count": "prior offences",
    "c_charge_degree": "charge degree",
    "c_charge_desc": "charge",
    "decile_score": "COMPAS score",
    "score_text": "COMPAS level",
    "v_decile_score": "COMPAS violence score",
    "v_score_text": "COMPAS violence level",
    "two_year_recid": "outcome",
}
LATER = "it is about what happened after the screening, so it gives the label away"
TOOL = "it is the judgement of the COMPAS tool; it is kept out so that models here can be compared with it"
MATCHING = "it measures how court records were matched, not the person"
DROPPED = {
    "is_recid": LATER,
    "is_violent_recid": LATER,
    "r_charge_degree": LATER,
    "r_days_from_arrest": LATER,
    "r_charge_desc": LATER,
    "vr_charge_degree": LATER,
    "vr_charge_desc": LATER,
    "event": LATER,
    "end": LATER,
    "start": "it counts days of the follow-up, which belongs to the outcome",
    "COMPAS score": TOOL,
    "COMPAS level": TOOL,
    "COMPAS violence score": TOOL,
    "COMPAS violence level": TOOL,
    "screening date": "it tells when a file was opened; with the sampling error left in, late dates give the label "
    "away",
    "screening_date": "it repeats the screening date",
    "v_screening_date": "it repeats the screening date",
    "age band": "it repeats age in three bands",
    "days_b_screening_arrest": MATCHING,
    "c_days_from_compas": MATCHING,
    "type_of_assessment": "it has one value only",
    "v_type_of_assessment": "it has one value only",
}
PARAMS = (
    Param(
        "fix_sampling",
        True,
        title="Leave out the sampling error",
        help="Leaves out the 998 people screened after 1 April 2014, who are in the file only because they were "
        "arrested again. With them the share of re-arrests is 45 % instead of 36 %.",
    ),
    Param(
        "propublica_filter",
        False,
        title="ProPublica's row filter",
        help="Keeps only people whose screening lies within 30 days of the arrest, as the published analysis did: "
        "6,172 of 7,214 rows.",
    ),
)

CARD = Card(
    source="ProPublica, compas-scores-two-years.csv (2016): court and jail records of Broward County, Florida, for "
    "people screened with the COMPAS tool in 2013 and 2014. Names, birth dates, case numbers and custody dates are "
    "removed here.",
    licence="No explicit licence: public court records, published by ProPublica for re-analysis (general knowledge, "
    "not from a licence file)",
    credit="Jeff Larson, Surya Mattu, Lauren Kirchner and Julia Angwin, ProPublica, 2016",
    label="Whether a person was arrested for a new offence within two years. Positive: re-arrested, 36.2 % of the rows "
    "after the sampling fix, 45.1 % without it.",
    groups="Race (six values) and sex as the records have them, and age. By default the groups are races; those under "
    "50 rows (Asian and Native American) are put together.",
    harms=(
        "Re-arrest is not re-offence: policing decides who is arrested, and it is not the same for all groups.",
        "All 998 people screened after 1 April 2014 are positive, because later screenings are in the file only where "
        "a new arrest followed (Barenstein 2019); the fix leaves them out and is on by default.",
        "These are real people's court records. They may be used to study error rates, not to look anybody up; names "
        "and birth dates are removed.",
        "The base rate differs between races, so calibration and equal error rates cannot both hold; the data set is "
        "known for this conflict, not for settling it.",
        "Columns that start with r_ or vr_, is_recid, event and end tell the outcome and are left out.",
        "Some groups are tiny: with ProPublica's filter there are 2 Asian and 2 Native American women.",
        "A benchmark of this kind says little about courts: the record is noisy, one county, and lacks what a court "
        "would look at.",
    ),
    n_rows=7_214,
    n_columns=32,
)


def load(options: Mapping[str, Any]) -> Table:
    """Up to 7,214 rows, 32 columns; 6,216 rows with the sampling fix (the default)."""
    chosen = settings(PARAMS, options)
    frame, notes = read_csv("compas_two_year.csv.gz"), []
    frame["c_charge_degree"] = in_words(frame["c_charge_degree"], {"F": "felony", "M": "misdemeanor"})
    frame["sex"] = in_words(frame["sex"], {"Female": "women", "Male": "men"})
    frame["race"] = frame["race"].replace({"Other": "other race"})
    frame["two_year_recid"] = in_words(frame["two_year_recid"], {0: "not re-arrested", 1: "re-arrested"})
    keep = pd.Series(True, index=frame.index)
    if chosen["propublica_filter"]:
        keep &= frame["days_b_screening_arrest"].abs() <= 30
        notes.append(f"{int((~keep).sum()):,} rows screened more than 30 days from the arrest were left out.")
    if chosen["fix_sampling"]:
        late = keep & (frame["compas_screening_date"] > LAST_GOOD_DAY)
        keep &= ~late
        notes.append(f"{int(late.sum()):,} rows screened after 1 April 2014 were left out: they are in the file only "
                     "because of a new arrest.")  # fmt: skip
    return Table(frame.loc[keep].rename(columns=NAMES).reset_index(drop=True), notes=tuple(notes))


def roles(options: Mapping[str, Any]) -> Roles:
    """Re-arrested is positive; race, sex and age are attributes; the tool's own scores and later facts are out."""
    settings(PARAMS, options)
    return Roles(label="outcome", positive="re-arrested", attributes=("race", "sex", "age"), dropped=dict(DROPPED))


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Races, those under 50 rows together."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec("race"),), min_rows=50)


DATASET = DatasetEntry(
    name="compas", title="COMPAS two-year re-arrest", card=CARD, load=load, roles=roles, groups=groups, params=PARAMS,
    order=20,
)  # fmt: skip
