"""The same answers over mixtures: a chance for every candidate, so that expected utilities are the convex hull.

A lottery decides for everybody at once, or for each person by a coin; utilities are expected ones. Leximin is a chain
of linear programs: raise the worst, hold those who cannot be raised further, go on with the others. Nash maximises a
sum of logarithms, which is concave; `nash_gap` bounds how far a point is from the largest.
Sources: as in core/negotiate/bargain.py; Ogryczak and Sliwinski 2006 (leximin by linear programs); Jaggi 2013 (the
bound, by a linear step).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, minimize

from core.negotiate.bargain import NOBODY_GAINS, TINY, Bargain, Solution
from core.types import BadInput

SLACK = 1e-8  # what a linear program may be off by


def solve_mixed(game: Bargain) -> dict[str, Solution]:
    """Every rule's answer among all lotteries over the candidates."""
    count = game.utilities.shape[1]
    relative = game.relative[np.isfinite(game.relative).all(1)]
    none = np.full(count, np.nan)
    total = np.zeros(count)
    total[int(game.utilities.sum(0).argmax())] = 1.0
    ratio = Solution("relative", leximin_mixed(relative)) if len(relative) else \
        Solution("relative", none, (), NOBODY_GAINS)
    return {
        "utilitarian": Solution("utilitarian", total),
        "egalitarian": Solution("egalitarian", leximin_mixed(game.utilities)),
        "nash": nash_mixed(game),
        "relative": ratio,
        "regret": Solution("regret", leximin_mixed(-game.regret)),
    }


def leximin_mixed(values: np.ndarray) -> np.ndarray:
    """Values (U, C) -> (C,) chances whose expected values are leximin-largest.

    >>> leximin_mixed(np.array([[4.0, 0.0], [0.0, 2.0]])).round(6).tolist()
    [0.333333, 0.666667]
    """
    held = np.full(len(values), -np.inf)  # floor of the parties that are settled
    free = np.ones(len(values), dtype=bool)
    chances = np.full(values.shape[1], np.nan)
    while free.any():
        level, chances = _raise(values, free, held)
        tops = np.array([_top(values, k, np.where(free, level, held)) if free[k] else np.inf
                         for k in range(len(values))])
        settled = free & (tops <= level + 10 * SLACK)
        if not settled.any():  # within the solver's slack: settle whoever is nearest
            settled = free & (tops == tops.min())
        held[settled], free = level, free & ~settled
    return chances


def efficient_mixed(utilities: np.ndarray) -> np.ndarray:
    """(U, C) -> (C,) bool: no lottery over the candidates is as good for all and better for one."""
    values = np.asarray(utilities, dtype=np.float64)
    return np.array([_room(values, values[:, c]) <= 100 * SLACK for c in range(values.shape[1])])


def nash_mixed(game: Bargain) -> Solution:
    """The lottery with the largest product of expected gains among those that put nobody below the base.

    Parties that cannot gain without another falling below the base are left out of the product, not below the base.
    """
    gains = game.utilities - game.base[:, None]
    none = np.full(gains.shape[1], np.nan)
    if _top(gains, 0, np.zeros(len(gains))) == -np.inf:
        return Solution("nash", none, (), "every mixture puts somebody below the base")
    tops = np.array([_top(gains, k, np.zeros(len(gains))) for k in range(len(gains))])
    movers = tops > 100 * SLACK
    if not movers.any():
        return Solution("nash", _raise(gains, ~movers, np.zeros(len(gains)))[1])
    scaled = gains / np.where(movers, tops, 1.0)[:, None]
    start = _raise(scaled, movers, np.zeros(len(gains)))[1]
    return Solution("nash", _climb(scaled, movers, start))


def nash_gap(game: Bargain, chances: np.ndarray) -> float:
    """At most how much smaller the mean log gain is here than at the best lottery (all parties can gain).

    By concavity f* - f <= max over candidates of gradient - gradient . chances; 0 is exact.
    """
    gains = game.utilities - game.base[:, None]
    slope = (gains / (gains @ chances)[:, None]).mean(0)
    return float(slope.max() - slope @ chances)


def _climb(scaled: np.ndarray, movers: np.ndarray, start: np.ndarray) -> np.ndarray:
    inside, floor = scaled[movers], scaled[~movers]

    def lost(p: np.ndarray) -> tuple[float, np.ndarray]:
        now = np.maximum(inside @ p, TINY)
        return -float(np.log(now).mean()), -(inside / now[:, None]).mean(0)

    bound = [{"type": "eq", "fun": lambda p: p.sum() - 1.0, "jac": lambda p: np.ones_like(p)}]
    if len(floor):
        bound.append({"type": "ineq", "fun": lambda p: floor @ p, "jac": lambda p: floor})
    at = start
    for _ in range(5):  # restarts drop a stale curvature
        found = minimize(lost, at, jac=True, bounds=[(0.0, 1.0)] * len(at), constraints=bound, method="SLSQP",
                         options={"ftol": 1e-14, "maxiter": 500})
        better = np.clip(found.x, 0.0, None) / max(np.clip(found.x, 0.0, None).sum(), TINY)
        if lost(better)[0] >= lost(at)[0] - 1e-13:
            break
        at = better
    return at


def _raise(values: np.ndarray, free: np.ndarray, held: np.ndarray) -> tuple[float, np.ndarray]:
    """The highest level that all free parties reach while the others keep what they hold, and a lottery for it."""
    settled = ~free & np.isfinite(held)
    above = np.hstack([-values[free], np.ones((int(free.sum()), 1))])
    kept = np.hstack([-values[settled], np.zeros((int(settled.sum()), 1))])
    goal = np.zeros(values.shape[1] + 1)
    goal[-1] = -1.0
    limits = np.concatenate([np.zeros(int(free.sum())), -held[settled] + SLACK])
    once = np.append(np.ones(values.shape[1]), 0.0)[None]
    bounds = [(0.0, 1.0)] * values.shape[1] + [(None, None)]
    found = linprog(goal, np.vstack([above, kept]), limits, once, [1.0], bounds=bounds, method="highs")
    if found.x is None:
        raise BadInput("Utilities", f"numbers no linear program settles ({found.message[:60]})",
                       "numbers of similar size", "measure all parties in one unit")
    chances = np.clip(found.x[:-1], 0.0, None)
    return float(found.x[-1]), chances / chances.sum()


def _top(values: np.ndarray, party: int, floor: np.ndarray) -> float:
    """The most a party can have while everybody has at least `floor`; -inf where that cannot be."""
    asked = np.isfinite(floor)
    found = linprog(-values[party], -values[asked], -floor[asked] + SLACK, np.ones((1, values.shape[1])), [1.0],
                    bounds=(0.0, 1.0), method="highs")
    return -float(found.fun) if found.x is not None else -np.inf


def _room(values: np.ndarray, at: np.ndarray) -> float:
    """How much more a lottery gives in sum while nobody has less than at `at`."""
    found = linprog(-values.sum(0), -values, -at + SLACK, np.ones((1, values.shape[1])), [1.0], bounds=(0.0, 1.0),
                    method="highs")
    return -float(found.fun) - float(at.sum()) if found.x is not None else 0.0
