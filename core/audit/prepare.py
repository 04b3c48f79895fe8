"""From a table and the roles of its columns to the rows of an audit. Every bad input is one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.audit.words import MISSING, attribute_codes, find_word, in_words, intersect, is_numeric
from core.types import AuditSpec, BadInput, Groups, ModelOutput, Predictions

MAX_CLASSES = 50
KINDS = ("probability", "logit", "points")
LABELS = ("label", "y_true", "y", "target", "truth", "true", "actual", "outcome", "class")
SAID = ("prediction", "predicted", "pred", "y_pred", "decision")
SCORED = ("score", "probability", "proba", "prob", "y_score")
ATTRIBUTES = ("sex", "gender", "race", "ethnicity", "age", "group", "nationality", "religion", "disability")
POSITIVES = ("yes", "1", "true", "positive", "good", "approved")


def make_predictions(frame: pd.DataFrame, spec: AuditSpec) -> Predictions:
    """Check the columns, leave out what cannot be counted (with reason and number), and code the rest.

    Args:
        frame: N rows as read. spec: which column is what.

    Returns:
        Predictions. Raises BadInput in one sentence for anything that cannot be audited.
    """
    table = _named(frame, spec)
    keep, excluded = np.ones(len(table), bool), []

    def leave_out(bad: np.ndarray, reason: str, always: bool = False) -> None:
        n = int((bad & keep).sum())
        if n or always:
            excluded.append((reason, n))
        np.logical_and(keep, ~bad, out=keep)

    label = in_words(table[spec.label]) if spec.label else None
    if label is not None:
        leave_out(label[0] < 0, "missing label", always=True)
    said = {name: in_words(table[name]) for name in spec.predictions}
    for codes, _ in said.values():
        leave_out(codes < 0, "missing prediction")
    scores = {name: _score(table[name], name) for name in spec.scores}
    for score in scores.values():
        leave_out(~np.isfinite(score), "score missing or infinite")
    weight = _weights(table[spec.weight], spec.weight) if spec.weight else None
    if weight is not None:
        leave_out(np.isnan(weight), "missing weight")
        leave_out(weight == 0, "weight 0")
    per = {name: attribute_codes(name, table[name]) for name in spec.attributes}
    if spec.missing == "exclude":
        for name, (codes, _, _) in per.items():
            leave_out(codes < 0, f"missing {name}")
    if not keep.any():
        why = ", ".join(f"{n:,} {reason}" for reason, n in excluded) or "an empty table"
        raise BadInput("Table", f"no row that can be counted ({why})", "at least one complete row", "check the columns")
    classes, y, notes = _classes(spec, label, said, keep)
    models = _models(spec, said, scores, classes, keep)
    groups = _groups(spec, {n: (c[keep], w) for n, (c, w, _) in per.items()}, int(keep.sum()))
    notes += [note for _, _, note in per.values() if note]
    used = {spec.label, spec.weight, spec.person, *spec.predictions, *spec.scores, *spec.attributes}
    words = {n: pd.Categorical.from_codes(np.where(c < 0, len(w), c)[keep], [*w, *([MISSING] if MISSING not in w else
             [MISSING + " "])]).astype(object) for n, (c, w, _) in per.items()}
    features = table.loc[keep, [c for c in table.columns if c not in used]].reset_index(drop=True)
    person = pd.factorize(table[spec.person][keep], use_na_sentinel=False)[0].astype(np.int64) if spec.person else None
    return Predictions(y, classes, models, groups, pd.DataFrame(words, index=range(int(keep.sum()))), features,
                       None if weight is None else weight[keep], person, len(table), spec, tuple(excluded),
                       tuple(notes))


def guess_spec(frame: pd.DataFrame) -> AuditSpec:
    """A first guess from names and values, for a form; the positive class is a proposal to be confirmed."""
    names = [str(c) for c in frame.columns]
    low = {n: n.lower().strip() for n in names}

    def like(known: Sequence[str]) -> list[str]:
        return [n for n in names if any(low[n] == k or low[n].startswith((k + "_", k + " ")) or low[n].endswith("_" + k)
                                        for k in known)]

    scores = [n for n in like(SCORED) if names.count(n) == 1 and is_numeric(frame[n])]
    said = [n for n in like(SAID) if n not in scores and names.count(n) == 1]
    label = next((n for n in like(LABELS) if n not in scores + said and names.count(n) == 1), "")
    words = in_words(frame[label])[1] if label else []
    positive = next((w for p in POSITIVES for w in words if w.casefold() == p), "") if len(words) == 2 else ""
    attributes = [n for n in like(ATTRIBUTES) if n not in {label, *said, *scores} and names.count(n) == 1]
    inside = all(frame[n].dropna().between(0, 1).all() for n in scores)
    return AuditSpec(label, positive, tuple(said), tuple(scores), 0.5 if scores else None,
                     "probability" if inside else "points", tuple(attributes[:2]))


def _named(frame: pd.DataFrame, spec: AuditSpec) -> pd.DataFrame:
    """The table with text names; BadInput where a column is not there, not unique, or has two roles."""
    table = frame.set_axis([str(c) for c in frame.columns], axis=1)
    roles = [("Label", [spec.label] if spec.label else []), ("Prediction", spec.predictions), ("Score", spec.scores),
             ("Attribute", spec.attributes), ("Weight", [spec.weight] if spec.weight else []),
             ("Person", [spec.person] if spec.person else [])]
    taken: dict[str, str] = {}
    for role, columns in roles:
        for name in columns:
            n = int((table.columns == name).sum())
            if n == 0:
                known = ", ".join(table.columns[:12]) or "no column"
                raise BadInput(role, f"the column {name!r}, which the table does not have", f"one of {known}",
                               "choose again")
            if n > 1:
                raise BadInput(role, f"{n} columns named {name!r}", "one", "rename the columns")
            if name in taken:
                raise BadInput(role, f"the column {name!r}, which is the {taken[name].lower()} already",
                               "another column", "choose again")
            taken[name] = role
    if not spec.predictions and not spec.scores:
        raise BadInput("Prediction", "no column", "a column of predictions or of scores", "choose one")
    if spec.missing not in ("group", "exclude"):
        raise BadInput("Missing", repr(spec.missing), "group or exclude", "use group")
    if spec.score_kind not in KINDS:
        raise BadInput("Kind of scores", repr(spec.score_kind), "one of " + ", ".join(KINDS), "use probability")
    if not 0 < spec.level < 1:
        raise BadInput("Confidence level", f"{spec.level:g}", "a number between 0 and 1", "use 0.95")
    if spec.threshold is not None and np.isnan(spec.threshold):
        raise BadInput("Threshold", "not a number", "a number", "use 0.5")
    return table.loc[:, ~table.columns.duplicated()]


def _score(column: pd.Series, name: str) -> np.ndarray:
    if not (is_numeric(column) or pd.api.types.is_bool_dtype(column)):
        numbers = pd.to_numeric(column, errors="coerce")
        if (numbers.isna() & column.notna()).any():
            raise BadInput(f"Scores {name}", "text", "numbers", "give this column as predictions, if it holds classes")
        column = numbers
    if np.iscomplexobj(column):
        raise BadInput(f"Scores {name}", "complex numbers", "real numbers", "choose another column")
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _weights(column: pd.Series, name: str) -> np.ndarray:
    if not is_numeric(column) or column.dtype.kind == "c":
        raise BadInput(f"Weight {name}", "values that are not numbers", "numbers above 0", "choose another column")
    weight = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if (weight < 0).any() or np.isinf(weight).any():
        bad = int(((weight < 0) | np.isinf(weight)).sum())
        raise BadInput(f"Weight {name}", f"{bad:,} negative or infinite weights", "numbers above 0", "correct them")
    return weight


def _classes(spec: AuditSpec, label, said, keep: np.ndarray) -> tuple[tuple[str, ...], np.ndarray | None, list[str]]:
    """Classes in words, the true codes and notes."""
    if label is None:
        words = list(dict.fromkeys(w for _, ws in said.values() for w in ws))
        if not words:
            return ("not selected", spec.positive or "selected"), None, ["Without labels only selection is compared."]
        positive = _positive(spec, words)
        rest = [w for w in words if w != positive]
        negative = rest[0] if len(rest) == 1 else f"not {positive}"
        return (negative, positive), None, ["Without labels only selection is compared."]
    codes, words = label
    words = _whole_label(spec.label, words)
    if not spec.positive and len(words) > 2 and not spec.scores:
        ordered = sorted(words, key=lambda w: (not _is_number(w), float(w) if _is_number(w) else 0.0, w))
        place = np.array([ordered.index(w) for w in words], dtype=np.int64)
        return tuple(ordered), place[codes[keep]], []
    more = [w for _, ws in said.values() for w in ws if w not in words]
    positive = _positive(spec, words, more)
    rest = [w for w in words if w != positive]
    notes = [f"All labels but {positive} count as not {positive}."] if len(rest) > 1 else []
    negative = rest[0] if len(rest) == 1 else f"not {positive}"
    if not rest:
        negative = next((w for w in more if w != positive), negative)
    y = np.array([int(w == positive) for w in words], dtype=np.int64)[codes[keep]]
    return (negative, positive), y, notes


def _whole_label(name: str, words: list[str]) -> list[str]:
    if len(words) > MAX_CLASSES:
        raise BadInput(f"Label {name}", f"{len(words):,} different values", f"at most {MAX_CLASSES} classes",
                       "choose another column or merge its values")
    return words


def _positive(spec: AuditSpec, words: list[str], more: Sequence[str] = ()) -> str:
    known = ", ".join(words[:8])
    if not spec.positive:
        raise BadInput("Positive class", "nothing", f"one of {known}", "name the value that means yes")
    found = find_word(spec.positive, words) or find_word(spec.positive, list(more))
    if found is None:
        raise BadInput("Positive class", repr(spec.positive), f"one of {known}", "name the value that means yes")
    return found


def _models(spec: AuditSpec, said, scores, classes, keep) -> tuple[ModelOutput, ...]:
    outputs = [ModelOutput(name, _predicted(name, said[name][0], said[name][1], classes, keep)) for name in said]
    for name, raw in scores.items():
        raw, cut = raw[keep], spec.threshold
        if len(classes) != 2:
            raise BadInput(f"Scores {name}", f"{len(classes)} classes", "2 classes", "name the positive class")
        pred = None if cut is None else (raw >= cut).astype(np.int64)
        if spec.score_kind == "probability" and ((raw < 0) | (raw > 1)).any():
            raise BadInput(f"Scores {name}", f"values from {raw.min():g} to {raw.max():g}", "probabilities from 0 to 1",
                           "say that they are logits, if they are")
        if spec.score_kind == "logit":
            raw, cut = _sigmoid(raw), None if cut is None else float(_sigmoid(np.array([cut]))[0])
        outputs.append(ModelOutput(name, pred, raw, cut, spec.score_kind != "points"))
    if len(said) == len(scores) == 1 and spec.threshold is None:
        return (replace(outputs[1], name=outputs[0].name, pred=outputs[0].pred),)
    return tuple(outputs)


def _predicted(name: str, codes, words, classes, keep) -> np.ndarray:
    """(n,) class codes of a prediction column; scores given as predictions are refused."""
    numbers = [float(w) for w in words if _is_number(w)]
    if any(not v.is_integer() for v in numbers) or (numbers and len(words) > MAX_CLASSES):
        raise BadInput(f"Predictions {name}", "numbers that look like scores", "one class for every row",
                       "give them as scores with a threshold")
    merged = len(classes) == 2 and classes[0] == f"not {classes[1]}"
    known = list(classes)
    place = []
    for word in words:
        found = find_word(word, known)
        if found is None and len(classes) == 2:
            found = _yes_or_no(word, words, classes) or (classes[0] if merged else None)
        if found is None:
            raise BadInput(f"Predictions {name}", repr(word[:60]), "the classes " + ", ".join(classes[:8]),
                           "use the label's words, or give scores with a threshold")
        place.append(known.index(found))
    return np.array([*place, -1], dtype=np.int64)[codes[keep]]


def _yes_or_no(word: str, words: Sequence[str], classes: Sequence[str]) -> str | None:
    """0/1, -1/1 and True/False beside labels in other words: 1 and True are the positive class."""
    low = {w.casefold() for w in words}
    if not (low <= {"0", "1"} or low <= {"-1", "1"} or low <= {"true", "false"}):
        return None
    return classes[1] if word.casefold() in ("1", "true") else classes[0]


def _groups(spec: AuditSpec, per, n: int) -> Groups:
    groups = intersect(list(per), list(per.values()))
    if not per:
        return replace(groups, code=np.zeros(n, np.int64))
    if not spec.reference:
        return groups
    for name, word in spec.reference.items():
        known = list(dict.fromkeys(p.get(name, "") for p in groups.parts))
        if name not in per or (find_word(word, known) or find_word(f"{name} {word}", known)) is None:
            raise BadInput("Reference", f"{name}={word}", "an attribute and one of its values", "choose again")
    fits = [k for k, part in enumerate(groups.parts) if all(
        part[a] in (find_word(w, [part[a]]), find_word(f"{a} {w}", [part[a]])) for a, w in spec.reference.items())]
    if not fits:
        raise BadInput("Reference", ", ".join(f"{a}={w}" for a, w in spec.reference.items()), "a group that has rows",
                       "choose again")
    return replace(groups, reference=fits[0])


def _sigmoid(x: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0 / (1.0 + e), e / (1.0 + e))


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False
