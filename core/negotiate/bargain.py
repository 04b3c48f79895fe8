"""Which candidate should several parties settle on? The classic answers, and what each costs whom.

Utilities are (U, C): parties (groups of people, or stakeholders) x candidate models, more is better. A solution is a
chance for each candidate, (C,): all on one candidate here, a lottery in core/negotiate/lotteries.py.

    utilitarian          the largest sum
    egalitarian          leximin: the worst-off party as well off as possible, then the second worst, and so on
    Nash                 the largest product of gains over the base among what puts nobody below it
    relative improvement leximin of (u - base) / (own best - base), the ratio of Kalai and Smorodinsky
    minimax regret       leximin of u - own best

Sources: Nash 1950 (The bargaining problem); Kalai and Smorodinsky 1975; Savage 1951 (regret); Sen 1970 (leximin);
Han, Banerjee and Sun 2026 (Maximin Relative Improvement).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.types import BadInput

TINY = 1e-9
NOBODY_GAINS = "no candidate is better than the base for anybody"
RULES = {"utilitarian": "Utilitarian (largest sum)", "egalitarian": "Egalitarian (leximin)",
         "nash": "Nash (largest product of gains)", "relative": "Largest relative improvement (Kalai-Smorodinsky)",
         "regret": "Smallest largest regret"}


@dataclass(frozen=True)
class Bargain:
    """What is bargained over: utilities (U, C); base (U,) what each party has without an agreement; best (U,) what
    each would have could it choose alone. Made by `bargain`, which checks."""

    utilities: np.ndarray
    base: np.ndarray
    best: np.ndarray

    @property
    def relative(self) -> np.ndarray:
        """(U, C) improvement over the base as a share of the party's own largest; NaN where a party cannot gain."""
        return self.share(self.utilities.T).T

    def share(self, utility: np.ndarray) -> np.ndarray:
        """Utilities (..., U) -> (..., U) improvement over the base as a share of the largest; NaN where none can be."""
        room = self.best - self.base
        return np.divide(utility - self.base, room, out=np.full(utility.shape, np.nan), where=room > TINY)

    @property
    def regret(self) -> np.ndarray:
        """(U, C) what each party gives up against its own best."""
        return self.best[:, None] - self.utilities


@dataclass(frozen=True)
class Solution:
    """rule: a key of RULES. chances (C,) sum to 1, or all NaN where the rule has no answer, and `why` says why.
    tied: candidates the rule holds to be equally good; the one with the largest sum, then the first, was taken."""

    rule: str
    chances: np.ndarray
    tied: tuple[int, ...] = ()
    why: str = ""


def bargain(utilities: np.ndarray, base: Sequence[float] | np.ndarray | None = None) -> Bargain:
    """Check and complete what is bargained over.

    Args:
        utilities: (U, C). base: (U,), each party's worst candidate where nothing is given.
    Raises:
        BadInput: no party or candidate, a number that is not finite, a base of another length.
    """
    values = np.asarray(utilities, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise BadInput("Utilities", f"shape {values.shape}", "parties x candidates, at least one of each",
                       "choose candidates and groups")
    floor = values.min(1) if base is None else np.asarray(base, dtype=np.float64)
    if floor.shape != (len(values),):
        raise BadInput("Base", f"{floor.size} numbers", f"one for each of {len(values)} parties", "give one each")
    if not (np.isfinite(values).all() and np.isfinite(floor).all()):
        raise BadInput("Utilities", "a missing or infinite number", "finite numbers",
                       "leave out groups in which the measure is undefined")
    return Bargain(values, floor, values.max(1))


def solve(game: Bargain) -> dict[str, Solution]:
    """Every rule's answer among the candidates themselves."""
    values = game.utilities
    relative = game.relative[np.isfinite(game.relative).all(1)]
    return {
        "utilitarian": _single("utilitarian", game, _largest(values.sum(0))),
        "egalitarian": _single("egalitarian", game, leximin(values)),
        "nash": _single("nash", game, _nash(game), "every candidate puts somebody below the base"),
        "relative": _single("relative", game, leximin(relative) if len(relative) else [], NOBODY_GAINS),
        "regret": _single("regret", game, leximin(-game.regret)),
    }


def leximin(values: np.ndarray) -> list[int]:
    """Columns of values (U, C) whose sorted rows are lexicographically largest, those within 1e-9 together.

    >>> leximin(np.array([[1.0, 2.0, 2.0], [5.0, 2.0, 3.0]]))
    [2]
    """
    kept = np.arange(values.shape[1])
    for row in np.sort(values, axis=0):
        kept = kept[row[kept] >= row[kept].max() - TINY]
    return [int(k) for k in kept]


def efficient(utilities: np.ndarray) -> np.ndarray:
    """(U, C) -> (C,) bool, the Pareto set: no other candidate is as good for all and better for one.

    >>> efficient(np.array([[1.0, 2.0, 1.0], [3.0, 2.0, 2.0]])).tolist()
    [True, True, False]
    """
    values = np.asarray(utilities, dtype=np.float64)
    ahead = values[:, :, None] - values[:, None, :]  # (U, better candidate, candidate)
    beats = (ahead >= 0).all(0) & (ahead > 0).any(0)  # (better candidate, candidate)
    return np.asarray(~beats.any(0))


def reached(game: Bargain, solution: Solution) -> np.ndarray:
    """(U,) utilities of a solution, expected ones of a lottery; NaN where it has no answer."""
    return game.utilities @ solution.chances


def cost_table(game: Bargain, found: dict[str, Solution], parties: Sequence[str]) -> pd.DataFrame:
    """What each solution gives and costs whom, one row per rule and party.

    Returns:
        columns rule, title, party, utility, gain (over the base), cost (against the party's own best), relative (the
        share of the possible improvement; NaN where the party cannot gain), below_base.
    """
    rows = []
    for rule, solution in found.items():
        utility = reached(game, solution)
        gain = utility - game.base
        rows.append(pd.DataFrame({"rule": rule, "title": RULES[rule], "party": list(parties), "utility": utility,
                                  "gain": gain, "cost": game.best - utility, "relative": game.share(utility),
                                  "below_base": gain < -TINY}))
    return pd.concat(rows, ignore_index=True)


def _largest(total: np.ndarray) -> list[int]:
    return [int(k) for k in np.flatnonzero(total >= total.max() - TINY)]


def _nash(game: Bargain) -> list[int]:
    """Largest product of gains; where nothing lifts everybody, of those who gain where most do (nobody loses)."""
    gains = game.utilities - game.base[:, None]
    allowed = np.flatnonzero((gains >= -TINY).all(0))
    if not len(allowed):
        return []
    ups = (gains[:, allowed] > TINY).sum(0)
    allowed = allowed[ups == ups.max()]
    inside = gains[:, allowed]
    score = np.where(inside > TINY, np.log(np.maximum(inside, TINY)), 0.0).sum(0)
    return [int(k) for k in allowed[score >= score.max() - TINY]]


def _single(rule: str, game: Bargain, tied: list[int], why: str = "") -> Solution:
    chances = np.full(game.utilities.shape[1], np.nan)
    if not tied:
        return Solution(rule, chances, (), why)
    chosen = tied[int(game.utilities[:, tied].sum(0).argmax())]
    chances[:] = 0.0
    chances[chosen] = 1.0
    return Solution(rule, chances, tuple(tied))
