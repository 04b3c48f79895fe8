"""What thresholds on one model's scores can reach: the exact front of objective against gap, and a rule under a bound.

Rules are score >= threshold of the row's group. A group whose rate is undefined on these rows (no positives, say) does
not enter the gap; a group without rows gets the best shared threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.fronts.cuts import FLOORS, GAPS, OBJECTIVES, Aim, Cuts, lower_is_better, make_aim, make_cuts, rates
from core.fronts.pareto import non_dominated
from core.fronts.windows import TOL, BoxSearch, Choice, FloorSearch, WindowSearch
from core.types import BadInput, Rule

FEW_RATES = 300  # up to here the exact front costs no more than the one by cells
FEW_CORNERS = 20_000
COARSE = 0.01  # bounds of objectives and gaps that need one search for every bound


@dataclass(frozen=True)
class ThresholdFront:
    """Non-dominated rules, sorted by gap: gap (K,), value (K,) of the objective, thresholds (K, A).

    A threshold of `inf` selects nobody. objective, gap_name: slugs; higher_is_better: the objective's direction;
    note: what is worth knowing, in words.
    """

    gap: np.ndarray
    value: np.ndarray
    thresholds: np.ndarray
    objective: str = "accuracy"
    gap_name: str = "demographic_parity"
    higher_is_better: bool = True
    note: str = ""


class Problem:
    """Cuts of all groups with the gap and the objective asked for. `corner`: see BoxSearch."""

    def __init__(self, cuts: Sequence[Cuts], aim: Aim, gap: str, corner: float = 0.0) -> None:
        self.cuts, self.aim, self.gap = list(cuts), aim, gap
        self.rates = [rates(c, gap) for c in cuts]
        self.compared = [a for a, group in enumerate(self.rates) if any(rate is not None for rate in group)]
        self.axes = [list(axis) for axis in zip(*(self.rates[a] for a in self.compared), strict=True)]
        enough = 1 if gap in FLOORS else 2
        self.comparable = bool(self.axes) and all(
            sum(rate is not None for rate in axis) >= enough for axis in self.axes)
        self.free = [a for a, c in enumerate(cuts) if a not in self.compared and not c.empty]
        self.corner = corner

    @cached_property
    def search(self) -> WindowSearch | FloorSearch | BoxSearch | None:
        """The search over the groups that are compared; None where the gap cannot be computed."""
        if not self.comparable:
            return None
        gains = [self.aim.gains(self.cuts[a]) for a in self.compared]
        if len(self.axes) == 1:
            kind = FloorSearch if self.gap in FLOORS else WindowSearch
            return kind([rate for rate in self.axes[0] if rate is not None], gains)
        return BoxSearch(self.axes[0], self.axes[1], gains, self.corner)

    def solve(self, bound: float) -> np.ndarray | None:
        """(A,) best cuts with a gap of at most `bound`; for F1 by Dinkelbach's iterations."""
        if self.aim.name != "f1":
            return self._solve(bound, 0.0)
        ratio, best = 0.0, None
        for _ in range(50):
            found = self._solve(bound, ratio)
            if found is None:
                return None
            reached = float(self.value(found))
            if best is not None and reached <= ratio + TOL:
                return found if reached >= ratio - TOL else best
            ratio, best = reached, found
        return best

    def _solve(self, bound: float, ratio: float) -> np.ndarray | None:
        chosen = np.zeros(len(self.cuts), dtype=np.int64)
        gains = [self.aim.gains(c, ratio) for c in self.cuts]
        if self.search is None:
            chosen[:] = [int(gain.argmax()) for gain in gains]
            return chosen
        if self.aim.name == "f1":
            self.search.aim([gains[a] for a in self.compared])
        found: Choice | None = self.search.solve(bound)
        if found is None:
            return None
        chosen[self.compared] = found.cut
        chosen[self.free] = [int(gains[a].argmax()) for a in self.free]
        return chosen

    def complete(self, cut: np.ndarray) -> np.ndarray:
        """Cuts (..., compared groups) -> cuts (..., A) of all, the others at their best."""
        chosen = np.zeros((*cut.shape[:-1], len(self.cuts)), dtype=np.int64)
        chosen[..., self.compared] = cut
        chosen[..., self.free] = [int(self.aim.gains(self.cuts[a]).argmax()) for a in self.free]
        return chosen

    def value(self, cuts: np.ndarray) -> np.ndarray:
        """Cut positions (..., A) -> objective (...)."""
        tp = sum(c.tp[cuts[..., a]] for a, c in enumerate(self.cuts))
        fp = sum(c.fp[cuts[..., a]] for a, c in enumerate(self.cuts))
        return self.aim.value(np.asarray(tp), np.asarray(fp))

    def gap_of(self, cuts: np.ndarray) -> np.ndarray:
        """Cut positions (..., A) -> gap (...), NaN where fewer than two groups can be compared."""
        if not self.comparable:
            return np.full(cuts.shape[:-1], np.nan)
        parts = []
        for axis in self.axes:
            reached = [r[cuts[..., a]] for a, r in zip(self.compared, axis, strict=True) if r is not None]
            parts.append(np.max(reached, axis=0) if self.gap in FLOORS else np.ptp(np.stack(reached), axis=0))
        return np.max(parts, axis=0)

    def thresholds(self, cuts: np.ndarray) -> np.ndarray:
        """Cut positions (..., A) -> thresholds (..., A); groups without rows get the best shared one."""
        out = np.stack([c.threshold[cuts[..., a]] for a, c in enumerate(self.cuts)], axis=-1)
        empty = [a for a, c in enumerate(self.cuts) if c.empty]
        if empty:
            common, shared = _shared_cuts(self)
            value = self.value(shared)
            out[..., empty] = common[value.argmin() if lower_is_better(self.aim.name) else value.argmax()]
        return out


def group_threshold_front(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    n_attrs: int,
    *,
    objective: str = "accuracy",
    gap: str = "demographic_parity",
    weight: np.ndarray | None = None,
    resolution: float = 0.001,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
) -> ThresholdFront:
    """The front that thresholds per group can reach on these rows, for any number of groups.

    Args:
        score: (N,) score of the positive class. y: (N,) 0 or 1. attr: (N,). weight: (N,) or None.
        objective: one of OBJECTIVES; gap: one of GAPS.
        resolution: 0 is exact over every reachable rate. Otherwise rates are cut into cells of that width and the
            front is within one cell of exact; small tables are exact anyway. Equalized odds and F1 are searched at
            bounds (and corners) at least 0.01 apart then. Worst errors are always exact.

    Returns:
        ThresholdFront; its gaps are those the rules really reach, the first is the smallest reachable one.
    """
    if not 0 <= resolution <= 0.5:
        raise BadInput("Resolution", f"{resolution:g}", "0 (exact) to 0.5", "use 0.001")
    cuts = make_cuts(score, y, attr, n_attrs, weight)
    problem = Problem(cuts, make_aim(cuts, objective, cost_fp, cost_fn), gap)
    if problem.search is None:
        return _front(problem, [problem.solve(np.inf)])
    if isinstance(problem.search, FloorSearch) and objective != "f1":
        return _front(problem, problem.complete(problem.search.all_choices()))
    few = FEW_CORNERS if isinstance(problem.search, BoxSearch) else FEW_RATES
    if resolution == 0 or problem.search.n_rates <= few:
        return _front(problem, _exact(problem))
    if isinstance(problem.search, WindowSearch) and objective != "f1":
        found = [problem.complete(cut) for cut in problem.search.cell_choices(resolution)]
        return _front(problem, [problem.solve(problem.search.smallest_gap()), *found])
    step = max(resolution, COARSE)
    if isinstance(problem.search, BoxSearch):
        problem = Problem(cuts, problem.aim, gap, corner=step)
    return _front(problem, _by_bounds(problem, step))


def shared_threshold_front(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    n_attrs: int,
    *,
    objective: str = "accuracy",
    gap: str = "demographic_parity",
    weight: np.ndarray | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
) -> ThresholdFront:
    """The front that one common threshold can reach, exact over all distinct scores. Arguments as above."""
    cuts = make_cuts(score, y, attr, n_attrs, weight)
    problem = Problem(cuts, make_aim(cuts, objective, cost_fp, cost_fn), gap)
    return _front(problem, *_shared_cuts(problem)[::-1])


def best_rule(
    score: np.ndarray,
    y: np.ndarray,
    attr: np.ndarray,
    n_attrs: int,
    gap_bound: float,
    *,
    gap: str = "demographic_parity",
    objective: str = "accuracy",
    weight: np.ndarray | None = None,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    rows: str = "validation",
) -> Rule:
    """The best thresholds per group whose gap on these rows is at most `gap_bound`, by exact search.

    Where none reaches the bound, the rule with the smallest gap, and the note says so. With equalized odds on large
    tables the boxes start on a grid of width 0.002: the bound is kept, and every rule with a gap up to
    bound - 0.002 was covered. `rows` names the rows in the note.
    """
    if not gap_bound >= 0:
        raise BadInput("Gap bound", f"{gap_bound:g}", "a number of at least 0", "use 0.05")
    cuts = make_cuts(score, y, attr, n_attrs, weight)
    problem = Problem(cuts, make_aim(cuts, objective, cost_fp, cost_fn), gap)
    if isinstance(problem.search, BoxSearch) and problem.search.n_rates > 250_000:
        problem = Problem(cuts, problem.aim, gap, corner=0.002)
    chosen = problem.solve(gap_bound)
    kept = chosen is not None
    if chosen is None:
        smallest = problem.search.smallest_gap() if problem.search else np.inf
        chosen = problem.solve(smallest + TOL)
    if chosen is None:
        raise BadInput("Gap bound", f"{gap_bound:g}", "a reachable one", "choose another gap")
    return Rule(problem.thresholds(chosen), _note(problem, chosen, gap_bound, kept, rows))


def _note(problem: Problem, chosen: np.ndarray, bound: float, kept: bool, rows: str) -> str:
    name = GAPS[problem.gap].lower()
    reached, value = float(problem.gap_of(chosen)), float(problem.value(chosen))
    got = f"{OBJECTIVES[problem.aim.name].lower().replace('f1', 'F1')} {value:.4g}"
    if not problem.comparable:
        note = f"the {name} cannot be computed on {rows}, so no bound was kept: {got}"
    elif kept:
        note = f"{name} {reached:.3g} (bound {bound:g}) and {got} on {rows}"
    else:
        note = f"no rule keeps the {name} under {bound:g} on {rows}; the closest reaches {reached:.3g} with {got}"
    empty = sum(c.empty for c in problem.cuts)
    if empty:
        note += f"; {empty} {'group has' if empty == 1 else 'groups have'} no rows there: the best shared threshold"
    return note


def _exact(problem: Problem) -> list[np.ndarray]:
    """Every non-dominated choice: solve without bound, then again and again below the gap just reached."""
    found, bound = [], np.inf
    while bound >= 0:
        chosen = problem.solve(bound)
        if chosen is None:
            break
        found.append(chosen)
        bound = float(problem.gap_of(chosen)) - 2 * TOL
    return found


def _by_bounds(problem: Problem, step: float) -> list[np.ndarray]:
    """One search for every bound 0, step, 2 step ... down from 1, passing over bounds that are kept already."""
    found, bound = [], 1.0
    while bound >= 0:
        chosen = problem.solve(bound)
        if chosen is None:
            break
        found.append(chosen)
        reached = float(problem.gap_of(chosen))
        if reached <= TOL:
            break
        bound = max(0.0, np.floor(min(bound - step / 2, reached - TOL) / step) * step)
    return found


def _shared_cuts(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Common thresholds (T,) descending from inf, and the cut (T, A) that each means in every group."""
    common = np.unique(np.concatenate([c.threshold for c in problem.cuts]))[::-1]
    position: Callable[[Cuts], np.ndarray] = lambda c: np.searchsorted(-c.threshold, -common, "right") - 1  # noqa: E731
    return common, np.stack([position(c) for c in problem.cuts], axis=-1)


def _front(problem: Problem, choices: Sequence[np.ndarray | None] | np.ndarray,
           common: np.ndarray | None = None) -> ThresholdFront:
    """Choices (K, A) -> the non-dominated ones with the gaps they reach. `common` (K,) are shared thresholds."""
    cuts = choices if isinstance(choices, np.ndarray) else np.array([c for c in choices if c is not None])
    value, gap = problem.value(cuts), problem.gap_of(cuts)
    higher = not lower_is_better(problem.aim.name)
    if problem.comparable:
        points = np.stack([np.round(gap, 12), np.round(value, 12)], axis=-1)
        kept = np.flatnonzero(non_dominated(points, (False, higher)))
        kept = kept[np.unique(points[kept, 0], return_index=True)[1]]  # sorted by gap, one rule for equal points
    else:
        kept = np.array([value.argmax() if higher else value.argmin()])
    thresholds = problem.thresholds(cuts[kept])
    if common is not None:
        thresholds = np.repeat(common[kept, None], len(problem.cuts), axis=1)
    name = GAPS[problem.gap].lower()
    note = "" if problem.comparable else f"the {name} needs two groups in which it is defined"
    return ThresholdFront(gap[kept], value[kept], thresholds, problem.aim.name, problem.gap, higher, note)
