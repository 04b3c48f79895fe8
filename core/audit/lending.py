"""A simulated lender whose true counterfactuals are known: what matching finds, and what balanced pairs do not mend.

Region drives race and income; race drives the neighbourhood; approval looks at income, loan, neighbourhood and, if one
likes, at race itself. Swapping a person's race with everything drawn anew that depends on it, and nothing else, gives
the decision that this person would have got. Reconstruction: the graph and its numbers are ours, made in the manner of
Ghoba & Colaner 2021 (counterfactual fairness in mortgage lending via matching), whose data are HMDA's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.audit.matching import Matching, match
from core.audit.prepare import make_predictions
from core.inference import wilson
from core.types import AuditSpec, BadInput, Value

REGIONS = ("north", "east", "south", "west")
MINORITY, MAJORITY = "Black", "White"
APART = ("region", "income", "loan")  # what race does not change
SETS: Mapping[str, tuple[str, ...]] = {
    "race and what it changed": ("region", "income", "loan", "neighbourhood", "race"),
    "what race changed, not race": ("region", "income", "loan", "neighbourhood"),
    "nothing that race changed": APART}  # fmt: skip
ARMS = ("everybody", "matched pairs", "matched pairs, race shuffled within")


@dataclass(frozen=True)
class World:
    """N people as they are, and the same people had they been of the other race (same noise): region, income, loan,
    neighbourhood, race, approved ("yes", "no")."""

    real: pd.DataFrame
    other: pd.DataFrame


@dataclass(frozen=True)
class Lesson:
    """truth: the mean effect of race on the approval of Black applicants, by swapping; found: what matching says;
    flips: (arm, feature set) -> share of new people whose predicted decision changes when race is swapped."""

    truth: float
    found: Matching
    flips: Mapping[tuple[str, str], Value]


def draw_world(n: int, rng: np.random.Generator, direct: float = -0.6, through: float = 0.8) -> World:
    """Draw people.

    Args:
        n: people. direct: what race adds to the logit of approval. through: standard deviations by which race lowers
            the neighbourhood, which approval looks at.
    """
    if n < 100 or not (abs(direct) <= 5 and abs(through) <= 5):
        raise BadInput("Lender", f"{n:,} people, effects {direct:g} and {through:g}", "100 people, effects up to 5",
                       "use fewer extremes")
    region = rng.integers(0, len(REGIONS), n)
    race = rng.random(n) < np.array([0.1, 0.3, 0.6, 0.15])[region]
    income = np.exp(rng.normal(np.array([4.4, 4.1, 3.6, 4.3])[region], 0.35))
    loan = income * np.exp(rng.normal(0.9, 0.3, n))
    noise, luck = rng.normal(size=n), rng.logistic(size=n)

    def lived(black: np.ndarray) -> pd.DataFrame:
        around = 0.5 * (np.log(income) - 4.1) / 0.35 - through * black + noise
        logit = 0.6 + 1.4 * (np.log(income) - 4.1) - 0.8 * (np.log(loan / income) - 0.9) + 0.6 * around + direct * black
        return pd.DataFrame({
            "region": np.array(REGIONS)[region], "income": income, "loan": loan, "neighbourhood": around,
            "race": np.where(black, MINORITY, MAJORITY), "approved": np.where(logit + luck > 0, "yes", "no")})

    return World(lived(race), lived(~race))


def true_effect(world: World) -> float:
    """Mean over Black applicants of their approval less what they would have got as White applicants."""
    black = (world.real["race"] == MINORITY).to_numpy()
    real, other = ((frame["approved"] == "yes").to_numpy(float) for frame in (world.real, world.other))
    return float((real - other)[black].mean())


def pair_up(world: World, seed: int = 0, caliper: float = 0.2) -> Matching:
    """Black applicants paired with White ones on what race does not change: region exactly, the rest by propensity."""
    rows = make_predictions(world.real, AuditSpec("", "yes", ("approved",), attributes=("race",)))
    place = {label: k for k, label in enumerate(rows.groups.labels)}
    return match(rows, first=place[MINORITY], second=place[MAJORITY], features=("income", "loan"), exact=("region",),
                 caliper=caliper, seed=seed)


def lesson(n: int = 6000, seed: int = 0, direct: float = -0.6, through: float = 0.8) -> Lesson:
    """Pair, train a logistic model in every arm on every feature set, and swap race for new people."""
    rng = np.random.default_rng(seed)
    world, new = draw_world(n, rng, direct, through), draw_world(n, rng, direct, through)
    found = pair_up(world, seed)
    matched = world.real.iloc[found.rows.ravel()].reset_index(drop=True)
    swap = np.repeat(rng.random(len(found.rows)) < 0.5, 2)
    shuffled = matched.assign(race=np.where(swap, np.where(matched["race"] == MINORITY, MAJORITY, MINORITY),
                                            matched["race"]))
    flips = {(arm, name): flip_rate(frame, new, columns) for arm, frame in zip(
        ARMS, (world.real, matched, shuffled), strict=True) for name, columns in SETS.items()}
    return Lesson(true_effect(world), found, flips)


def flip_rate(train: pd.DataFrame, new: World, columns: Sequence[str]) -> Value:
    """Share of new people whose predicted approval changes when their race, and what follows from it, is swapped
    (counterfactual unfairness); a logistic model of `columns` trained on `train`."""
    from sklearn.linear_model import LogisticRegression

    encoded = [_encoded(frame, columns) for frame in (train, new.real, new.other)]
    mean, spread = encoded[0].mean(0), np.where(encoded[0].std(0) > 0, encoded[0].std(0), 1.0)
    model = LogisticRegression(C=100.0, max_iter=1000).fit((encoded[0] - mean) / spread, train["approved"] == "yes")
    as_is, swapped = (model.predict((x - mean) / spread) for x in encoded[1:])
    k, n = int((as_is != swapped).sum()), len(as_is)
    low, high = wilson(k, n)
    return Value(k / n, float(low), float(high), n, None, "Wilson")


def _encoded(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    blocks = {"region": lambda: np.stack([frame["region"] == r for r in REGIONS[1:]], 1).astype(float),
              "race": lambda: (frame[["race"]] == MINORITY).to_numpy(float),
              "income": lambda: np.log(frame[["income"]].to_numpy()),
              "loan": lambda: np.log(frame[["loan"]].to_numpy()),
              "neighbourhood": lambda: frame[["neighbourhood"]].to_numpy()}
    return np.concatenate([blocks[name]() for name in columns], 1)
