"""Which words and values go with an outcome in every group: candidates of all columns, and the strata to look within.

A candidate is yes or no for every row: a word of a column, a number at or above the median, a term of a text. The
outcome may be a decision (strata: the groups) or the group itself (strata: the decision). Source: Xu, Liu & Ai 2026.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.audit.conditional import Finding, findings
from core.audit.strata import FEW_NUMBERS, OTHER, outcome_of, stratify
from core.audit.words import is_numeric
from core.types import BadInput, Predictions

MOST_ROWS, MOST_CANDIDATES, MOST_TERMS, MOST_STRATA = 5_000, 150, 300, 8
FEWEST = 20  # rows of a stratum, and rows that have a candidate
WORDS_OF_TEXT = 3.0  # mean words a cell from which a column is read as text
PATTERN = r"(?u)\b\w[\w']+\b"


@dataclass(frozen=True)
class Candidates:
    """x (N, D) 0 or 1; D names as (column, what); texts: columns read as text; left_out: (column, reason)."""

    x: np.ndarray
    names: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class GoesWith:
    """What goes with `asked` within S strata (labels, rows); D candidates looked at; at (N,) rows of the table used,
    code (N,) their strata, y (N,) the outcome, x (N, D); findings in order; notes in plain sentences."""

    asked: str
    strata: tuple[str, ...]
    sizes: tuple[int, ...]
    candidates: Candidates
    findings: tuple[Finding, ...]
    at: np.ndarray
    code: np.ndarray
    y: np.ndarray
    notes: tuple[str, ...]


def candidates(features: pd.DataFrame, without: Sequence[str] = ()) -> Candidates:
    """All candidates of a table's columns that at least FEWEST rows have and FEWEST have not."""
    blocks, names, texts, left_out = [], [], [], []
    for name in [str(c) for c in features.columns if str(c) not in without]:
        column = features[name]
        try:
            if _is_text(column):
                block, what = _terms(column)
                texts.append(name)
            else:
                block, what = _values(name, column)
        except BadInput as error:
            left_out.append((name, error.found))
            continue
        n = block.sum(0)
        kept = np.flatnonzero((n >= FEWEST) & (n <= len(features) - FEWEST))
        if not len(kept):
            left_out.append((name, f"nothing that {FEWEST} rows have and {FEWEST} have not"))
            continue
        blocks.append(block[:, kept])
        names += [(name, what[k]) for k in kept]
    x = np.concatenate(blocks, 1) if blocks else np.zeros((len(features), 0))
    return Candidates(x, tuple(names), tuple(texts), tuple(left_out))


def goes_with(rows: Predictions, model: int = 0, outcome: str = "selection", first: int = 0, second: int = 1,
              target: str = "outcome", by: str = "", k: int = 8, seed: int = 0) -> GoesWith:
    """Look within strata for what goes with an outcome.

    Args:
        outcome: of OUTCOMES. target: "outcome" asks what goes with it, within the groups; "group" asks what tells
            the first group from the second, within those who have the outcome and those who do not.
        by: a feature whose parts are the strata instead. k: candidates that each way picks.
        seed: of the sample (above 5,000 rows) and of the row kept of each person.

    Returns:
        GoesWith. Raises BadInput where fewer than two strata have rows, or there is no candidate.
    """
    if target not in ("outcome", "group"):
        raise BadInput("Target", repr(target), "outcome or group", "use outcome")
    notes: list[str] = []
    what = outcome_of(rows, model, outcome)
    inside = what.here if target == "outcome" else what.here & np.isin(rows.groups.code, (first, second))
    at = _sampled(rows, np.flatnonzero(inside), np.random.default_rng(seed), notes)
    code, labels = _strata(rows, what.value[at], what.counted, at, target, by)
    kept, code, labels, sizes = _large_enough(code, labels, notes)
    at = at[kept]
    y = what.value[at] if target == "outcome" else (rows.groups.code[at] == first).astype(np.float64)
    asked = what.counted if target == "outcome" else f"{rows.groups.labels[first]} rather than " \
        f"{rows.groups.labels[second]}"
    found = candidates(rows.features.iloc[at].reset_index(drop=True), (by,) if by else ())
    if not found.names or len(np.unique(y)) < 2:
        wrong = "no word or value that enough rows share" if not found.names else f"one value of {asked}"
        raise BadInput("Features", wrong, "columns with values that repeat, and both outcomes", "choose others")
    w = None if rows.w is None else rows.w[at]
    among = len(found.names)
    found = _screened(found, y, code, w, notes)
    picked = findings(found.x, y, code, k, w, rows.spec.level, among=among)
    return GoesWith(asked, labels, sizes, found, tuple(picked), at, code, y, tuple(notes))


def examples(rows: Predictions, found: GoesWith, place: int, stratum: int, n: int = 3) -> list[str]:
    """Cells of the candidate's column that have it, in one stratum, the shortest first."""
    column = found.candidates.names[place][0]
    here = found.at[(found.candidates.x[:, place] > 0) & (found.code == stratum)]
    cells = sorted({str(v) for v in rows.features[column].iloc[here]}, key=lambda v: (len(v), v))
    return cells[:n]


def _is_text(column: pd.Series) -> bool:
    if is_numeric(column) or pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return False
    known = column.dropna().astype(str)
    return len(known) > 0 and known.nunique() > FEWEST and float(known.str.count(r"\s+").mean() + 1) >= WORDS_OF_TEXT


def _terms(column: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Words and pairs of words that at least FEWEST texts hold, the most frequent ones; those that the same texts hold
    are one candidate, named by the longest word."""
    from sklearn.feature_extraction.text import CountVectorizer

    reader = CountVectorizer(binary=True, ngram_range=(1, 2), min_df=FEWEST, max_features=MOST_TERMS,
                             token_pattern=PATTERN)
    try:
        table = reader.fit_transform(column.fillna("").astype(str))
    except ValueError as error:  # no term is left
        raise BadInput("Text", f"no term that {FEWEST} rows share", "terms that repeat", "choose another") from error
    terms = reader.get_feature_names_out()
    order = sorted(range(len(terms)), key=lambda t: (" " in terms[t], -len(terms[t]), terms[t]))
    block = table.toarray()[:, order]
    kept = np.sort(np.unique(block, axis=1, return_index=True)[1])
    return block[:, kept].astype(np.float64), [f"“{terms[order[t]]}”" for t in kept]


def _values(name: str, column: pd.Series) -> tuple[np.ndarray, list[str]]:
    if is_numeric(column) and column.nunique() > FEW_NUMBERS:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        middle = float(np.nanmedian(values))
        return (values >= middle).astype(np.float64)[:, None], [f"{middle:.6g} or more"]
    found = stratify(name, column)
    kept = [k for k, label in enumerate(found.labels) if label.strip() != OTHER]
    block = np.eye(len(found.labels))[found.code][:, kept]
    labels = [found.labels[k] for k in kept]
    return (block[:, -1:], labels[-1:]) if len(found.labels) == 2 else (block, labels)


def _sampled(rows: Predictions, at: np.ndarray, rng: np.random.Generator, notes: list[str]) -> np.ndarray:
    if rows.person is not None:
        mixed = rng.permutation(at)
        at = np.sort(mixed[np.unique(rows.person[mixed], return_index=True)[1]])
        notes.append("One row of every person is used, drawn at random.")
    if len(at) > MOST_ROWS:
        notes.append(f"Of {len(at):,} rows a random {MOST_ROWS:,} are used.")
        at = np.sort(rng.choice(at, MOST_ROWS, replace=False))
    return at


def _strata(rows: Predictions, value: np.ndarray, counted: str, at: np.ndarray, target: str,
            by: str) -> tuple[np.ndarray, tuple[str, ...]]:
    if by:
        if by not in rows.features.columns:
            raise BadInput("Strata", repr(by), ", ".join(map(str, rows.features.columns[:12])), "choose a feature")
        found = stratify(by, rows.features[by].iloc[at])
        return found.code, found.labels
    if target == "group":
        return value.astype(np.int64), (f"not {counted}", counted)
    return rows.groups.code[at], rows.groups.labels


def _large_enough(code: np.ndarray, labels: tuple[str, ...],
                  notes: list[str]) -> tuple[np.ndarray, np.ndarray, tuple[str, ...], tuple[int, ...]]:
    """Rows kept, their strata anew, labels and sizes: the largest strata, each with at least FEWEST rows."""
    size = np.bincount(code, minlength=len(labels))
    chosen = np.argsort(-size, kind="stable")[:MOST_STRATA]
    chosen = np.sort(chosen[size[chosen] >= FEWEST])
    if len(chosen) < 2:
        raise BadInput("Strata", f"{len(chosen)} with at least {FEWEST} rows", "two", "choose other groups or strata")
    gone = int((size > 0).sum()) - len(chosen)
    if gone:
        notes.append(f"Left out, with fewer than {FEWEST} rows or beyond the {MOST_STRATA} largest: {gone:,} of "
                     f"{gone + len(chosen):,} strata.")
    place = np.full(len(labels), -1)
    place[chosen] = np.arange(len(chosen))
    kept = np.flatnonzero(place[code] >= 0)
    return kept, place[code[kept]], tuple(labels[c] for c in chosen), tuple(int(size[c]) for c in chosen)


def _screened(found: Candidates, y: np.ndarray, code: np.ndarray, w: np.ndarray | None,
              notes: list[str]) -> Candidates:
    """The candidates that go most with the outcome in any stratum, where there are more than can be looked at."""
    if len(found.names) <= MOST_CANDIDATES:
        return found
    weight = np.ones(len(y)) if w is None else w
    best = np.zeros(len(found.names))
    for s in range(int(code.max()) + 1):
        here = code == s
        x, v = found.x[here], weight[here] / weight[here].sum()
        left = x - v @ x
        spread = np.sqrt((v[:, None] * left**2).sum(0) / max(here.sum(), 1))
        cover = (v * (y[here] - v @ y[here])) @ left
        best = np.maximum(best, np.abs(np.divide(cover, spread, out=np.zeros_like(cover), where=spread > 1e-12)))
    kept = np.sort(np.argsort(-best, kind="stable")[:MOST_CANDIDATES])
    notes.append(f"Of {len(found.names):,} words and values the {MOST_CANDIDATES} that go most with it in any stratum "
                 "are looked at; p-values are adjusted over all.")
    return Candidates(found.x[:, kept], tuple(found.names[d] for d in kept), found.texts, found.left_out)
