"""The answer of the trade-offs page in words: what the best remedy gains, what it costs, and how sure that is.

Choosing the best of many on the rows that report it flatters it, so the setting is chosen on one table (validation)
and told from another (test).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.counts import count_confusion, predict
from core.figures.gather import gather
from core.inference import bootstrap_runs, interval, resample_seeds
from core.metrics.measure import Measure, parse
from core.metrics.words import inside
from core.types import History, RunRecord, Scores

MIN_RISE = 1e-9


@dataclass(frozen=True)
class Choice:
    """The two settings an answer compares: ids of the reference (or "") and of the chosen one."""

    reference: str
    chosen: str


def choose(table: pd.DataFrame, *, x: str, y: str) -> Choice | None:
    """The reference setting with the best x, and the setting with the best y (ties: the better x). None where nothing
    is measured yet. `table`: a front_table of the rows to choose by."""
    shown = _measured(table)
    if shown.empty:
        return None
    reference = shown[shown["is_reference"].astype(bool)]
    ref = "" if reference.empty else reference.loc[_best(reference, x, y)[0], "id"]
    return Choice(ref, shown.loc[_best(shown, y, x, swapped=True)[0], "id"])


def best_run(runs: Sequence[RunRecord], histories: Mapping[str, History], *, classes: Sequence[str],
             attr_labels: Sequence[str], measure: str = "accuracy", split: str = "val") -> RunRecord | None:
    """The run with the best last value of a measure; None where none has been measured."""
    if not runs:
        return None
    known, aim = gather(runs, histories, split, "last", len(classes), len(attr_labels)), parse(measure)
    value = aim.of(known.counts, n=known.n) * (1 if aim.higher_is_better else -1)
    return runs[int(np.nanargmax(value))] if np.isfinite(value).any() else None


def differences(reference: Scores, chosen: Scores, measures: Sequence[str], draws: int, rng: np.random.Generator,
                min_n: int = 0) -> dict[str, tuple[float, float, float]]:
    """Chosen minus reference on the same rows, with 95 % intervals from paired worlds.

    Args:
        reference, chosen: scores of the seeds (S runs each) of the two settings, on the same n rows.
        measures: keys. draws: worlds. min_n: groups with fewer rows are left out of "worst".

    Returns:
        key -> (difference of the means over seeds, low, high). Rows are drawn again together for both, and seeds are
        drawn again where both have the same number of them (equal seeds share first weights and batches).
    """
    both = Scores(np.concatenate([reference.score, chosen.score]),
                  np.concatenate([reference.thresholds, chosen.thresholds]),
                  reference.y, reference.attr, reference.w, reference.rows)
    half, n_attrs = len(reference.score), reference.thresholds.shape[1]
    classes = reference.score.shape[-1] if reference.score.ndim == 3 else 2
    n = np.bincount(reference.y * n_attrs + reference.attr, minlength=classes * n_attrs).reshape(classes, n_attrs)
    worlds, still = bootstrap_runs(both, draws, rng), _counts(both)
    found = {}
    for key in measures:
        measure = parse(key)
        moved, fixed = measure.of(worlds, min_n, n), measure.of(still, min_n, n)
        value = float(np.nanmean(fixed[half:]) - np.nanmean(fixed[:half]))
        shift = moved[:, half:].mean(1) - moved[:, :half].mean(1) - value
        paired = len(fixed) == 2 * half
        seeds = resample_seeds((fixed[half:] - fixed[:half])[None], draws, rng)[:, 0] if paired else value
        low, high = interval(seeds + shift)
        found[key] = (value, float(low), float(high))
    return found


def front_answer(table: pd.DataFrame, choice: Choice | None, *, x: str, y: str,
                 found: dict[str, tuple[float, float, float]] | None = None,
                 behind: pd.DataFrame | None = None, chosen_on: str = "") -> str:
    """One to three plain sentences about a front.

    Args:
        table: a front_table of the rows to report. choice: from `choose`, on the rows to choose by.
        found: from `differences`; None tells the interval of the value instead.
        behind: of `baseline_table`, what thresholds alone make of the plain model; told where it beats the choice.
        chosen_on: the rows that chose, in words, where they are not those reported ("validation rows").
    """
    shown = _measured(table).set_index("id")
    if choice is None or choice.chosen not in shown.index:
        return "Nothing has been measured yet."
    best, mx, my = shown.loc[choice.chosen], parse(x), parse(y)
    name = _name(best)
    if choice.reference not in shown.index:
        return (f"{name} reaches the best {inside(my.title)}, {amount(best['y'], my)}{_span(best, 'y', my)}, at "
                f"{inside(mx.title)} {amount(best['x'], mx)}. Train ERM as well to see what that costs.")
    ref = shown.loc[choice.reference]
    if choice.chosen == choice.reference or not _better(best["y"], ref["y"], my):
        rest = "" if len(shown) > 1 else " Nothing else has been tried yet."
        return (f"Nothing tried is better than plain training on {inside(my.title)}: "
                f"{amount(ref['y'], my)}{_span(ref, 'y', my)}.{rest}")
    verb = "raises" if my.higher_is_better else "lowers"
    gain = (found or {}).get(y)
    grows = f" (by {_range(gain, my)})" if gain else _span(best, "y", my)
    told_by = f", chosen on {chosen_on}," if chosen_on else ""
    ends = f"from {amount(ref['y'], my)} to {amount(best['y'], my)}{grows}"
    return (f"{name}{told_by} {verb} the {inside(my.title)} {ends} and "
            f"{_cost(best, ref, mx, (found or {}).get(x))}; {_beaten(best, shown, mx, my)}.{_doubt(gain, my)}"
            f"{_thresholds_alone(best, behind, mx, my)}")


def amount(value: float, measure: Measure) -> str:
    """A value in words: shares in per cent, others with two digits.

    >>> amount(0.7123, parse("accuracy")), amount(0.4, parse("mcc"))
    ('71.2 %', '0.40')
    """
    if not np.isfinite(value):
        return "undefined"
    return f"{100 * value:.1f} %" if _is_share(measure) else f"{value:.2f}"


def _measured(table: pd.DataFrame) -> pd.DataFrame:
    return table[np.isfinite(table["x"].astype(float)) & np.isfinite(table["y"].astype(float))]


def _best(table: pd.DataFrame, first: str, second: str, swapped: bool = False) -> pd.Index:
    """Index sorted best first by the measure of one axis, ties by the other."""
    axes = ("y", "x") if swapped else ("x", "y")
    down = [bool(parse(key).higher_is_better) for key in (first, second)]
    return table.sort_values(list(axes), ascending=[not d for d in down], kind="stable").index


def _counts(scores: Scores) -> np.ndarray:
    """(R, A, C, C) weighted counts of the scores as they are."""
    classes = scores.score.shape[-1] if scores.score.ndim == 3 else 2
    pred = predict(scores.score, scores.thresholds, scores.attr)
    return count_confusion(pred, scores.y, scores.attr, classes, scores.thresholds.shape[1], scores.w)


def _name(row: pd.Series) -> str:
    return row["title"] if row["settings"] == "default settings" else f"{row['title']} ({row['settings']})"


def _is_share(measure: Measure) -> bool:
    return measure.bounds[0] >= 0 and measure.bounds[1] <= 1


def _span(row: pd.Series, axis: str, measure: Measure) -> str:
    low, high = row[f"{axis}_low"], row[f"{axis}_high"]
    return f" ({_bare(low, measure)} to {_bare(high, measure)})" if np.isfinite(low) and np.isfinite(high) else ""


def _bare(value: float, measure: Measure) -> str:
    return f"{100 * value:.1f}" if _is_share(measure) else f"{value:.2f}"


def _better(value: float, than: float, measure: Measure) -> bool:
    rise = value - than if measure.higher_is_better else than - value
    return bool(rise > MIN_RISE)


def _range(found: tuple[float, float, float], measure: Measure, turned: bool = False) -> str:
    """ "5.1 to 10.2 points", as a rise where `turned` is False and more is better."""
    flip = bool(measure.higher_is_better) == turned
    low, high = (-found[2], -found[1]) if flip else (found[1], found[2])
    unit = " points" if _is_share(measure) else ""
    return f"{_bare(low, measure)} to {_bare(high, measure)}{unit}"


def _cost(best: pd.Series, ref: pd.Series, mx: Measure, found: tuple[float, float, float] | None) -> str:
    """ "costs 0.6 points of accuracy (0.1 to 1.1 points)" or "also raises accuracy ..."."""
    loss = (ref["x"] - best["x"]) * (1 if mx.higher_is_better else -1)
    unit = " points of" if _is_share(mx) else " of"
    size, title = _bare(abs(loss), mx), inside(mx.title)
    if size in ("0.0", "0.00"):
        return f"costs no {title}"
    if loss < 0:
        return f"gains {size}{unit} {title}" + (f" ({_range(found, mx)})" if found else "")
    return f"costs {size}{unit} {title}" + (f" ({_range(found, mx, turned=True)})" if found else "")


def _beaten(best: pd.Series, shown: pd.DataFrame, mx: Measure, my: Measure) -> str:
    sx, sy = (1 if m.higher_is_better else -1 for m in (mx, my))
    ahead = ((shown["x"] - best["x"]) * sx > MIN_RISE) & ((shown["y"] - best["y"]) * sy > MIN_RISE)
    n = int(ahead.sum())
    if not n:
        return "nothing tried does better on both"
    return f"{_name(shown[ahead].iloc[0])} does better on both" if n == 1 else f"{n} others do better on both"


def _thresholds_alone(best: pd.Series, behind: pd.DataFrame | None, mx: Measure, my: Measure) -> str:
    """The point of the baseline that is better on both axes, the one with the best y."""
    if behind is None or not len(behind):
        return ""
    sx, sy = (1 if m.higher_is_better else -1 for m in (mx, my))
    ahead = behind[((behind["x"] - best["x"]) * sx > MIN_RISE) & ((behind["y"] - best["y"]) * sy > MIN_RISE)]
    if ahead.empty:
        return ""
    top = ahead.loc[(ahead["y"] * sy).idxmax()]
    return (f" But the plain model with other thresholds alone, searched for {inside(my.title)} itself, does better: "
            f"{amount(top['y'], my)} at {inside(mx.title)} {amount(top['x'], mx)}, with {top['label']}.")


def _doubt(gain: tuple[float, float, float] | None, measure: Measure) -> str:
    if gain is None or gain[1] > 0 or gain[2] < 0:
        return ""
    return " The interval includes no difference at all, so this may be chance."


def rule_answer(val: pd.DataFrame, test: pd.DataFrame, thresholds: np.ndarray) -> str:
    """What a decision rule does, on the rows that chose it and on the rows that report it.

    Args:
        val, test: rule_table on validation and test rows, with "accuracy" and "selection_rate". thresholds: (A,).
    """
    first, groups = test.iloc[0], test[test["kind"] == "group"].dropna(subset=["selection_rate"])
    if groups.empty:
        return "There are no rows to measure on."
    same = len(set(np.asarray(thresholds).tolist())) == 1
    how = f"The line is at {first['threshold']:.3f} for everybody" if same else "Each group has its own line"
    low, high = (groups.loc[groups["selection_rate"].agg(f"idx{end}")] for end in ("min", "max"))
    ends = [f"{100 * row['selection_rate']:.1f} % of {row['group']}" for row in (low, high)]
    span = f"it selects from {ends[0]} to {ends[1]}" if len(groups) > 1 else f"it selects {ends[0]}"
    return (f"{how}. On test rows {span}; its accuracy is {_told(test, 'everyone', 'accuracy')} and the selection gap "
            f"{_told(test, 'gap', 'selection_rate')}. On validation rows, which choose, the two are "
            f"{_told(val, 'everyone', 'accuracy')} and {_told(val, 'gap', 'selection_rate')}.")


def _told(table: pd.DataFrame, kind: str, name: str) -> str:
    """ "85.1 % (84.4 to 85.9)" of one row of a rule table; gaps in points."""
    row = table[table["kind"] == kind].iloc[0]
    if not np.isfinite(row[name]):
        return f"undefined, {row[f'{name}_undefined']}"
    unit = "points" if kind == "gap" else "%"
    text, ends = f"{100 * row[name]:.1f} {unit}", (row[f"{name}_low"], row[f"{name}_high"])
    return f"{text} ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})" if np.isfinite(ends).all() else text
