"""Palmer penguins: three species, for teaching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.data.sets._files import in_words, read_csv, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Roles, Table

CARD = Card(
    source="Palmer Station Long Term Ecological Research, Antarctica, 2007 to 2009, in the form of the R package "
    "palmerpenguins.",
    licence="CC0, as stated by the R package palmerpenguins (general knowledge, not from a licence file)",
    credit="Kristen Gorman; Allison Horst, Alison Hill and Kristen Gorman (palmerpenguins)",
    label="The species: Adelie (152), Gentoo (124) or Chinstrap (68). Three classes, none of them positive.",
    groups="Sex (missing for 11 birds, which form a group of their own) and island. By default the groups are sex.",
    harms=(
        "The island nearly gives the species away: Chinstrap live on Dream and Gentoo on Biscoe only. Island and sex "
        "are hidden from the model for that reason.",
        "The birds without a sex are 11, none of them Chinstrap, so some rates of that group are undefined.",
        "The classes are nearly separable and the set is small (344 rows): use it to learn the app, not to compare "
        "methods.",
        "Two birds have no measurements at all. No people are involved.",
    ),
    n_rows=344,
    n_columns=8,
)


def load(options: Mapping[str, Any]) -> Table:
    """344 rows, 8 columns."""
    settings((), options)
    frame = read_csv("penguins.csv.gz")
    frame["sex"] = in_words(frame["sex"], {"male": "male", "female": "female"})
    unit = {"bill_length_mm": "bill length, mm", "bill_depth_mm": "bill depth, mm",
            "flipper_length_mm": "flipper length, mm", "body_mass_g": "body mass, g"}  # fmt: skip
    return Table(frame.rename(columns=unit))


def roles(options: Mapping[str, Any]) -> Roles:
    """Three species; sex and island are attributes and no features."""
    settings((), options)
    return Roles(label="species", task="multiclass", attributes=("sex", "island"), attributes_as_features=False,
                 dropped={"year": "it is the year of the expedition, not a property of the bird"})  # fmt: skip


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Female, male, and sex missing."""
    settings((), options)
    return GroupSpec(attributes=(AttributeSpec("sex"),))


DATASET = DatasetEntry(
    name="penguins", title="Palmer penguins", card=CARD, load=load, roles=roles, groups=groups, order=170
)
