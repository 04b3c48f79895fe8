"""Which column is which: the audit's form. What it says is kept with the audit."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.prepare import guess_spec
from core.store.audits import KeptAudit, update_audit
from core.types import AuditSpec, BadInput
from pages._ui import audit_held, counted, held, state
from pages._ui.text import clean, plain

KINDS = {"probability": "Probabilities, 0 to 1", "logit": "Log-odds (any number)", "points": "Points (any number)"}
MISSING = {"group": "A group of its own", "exclude": "Left out of everything"}
MOST_VALUES = 200


def form(kept: KeptAudit) -> None:
    """All columns; the button checks them against the table and keeps them."""
    frame = state.table(kept.data).frame
    start = kept.spec or _guess(held.digest(kept.data), frame)
    names, key = list(frame.columns), f"columns:{kept.id}"
    left, right = st.columns(2, gap="large")
    with left:
        label = _one("True label", ["", *names], start.label, f"{key}:label", "none: compare only who is selected",
                     "What really happened. Without it, rates of error cannot be told.")
        positive = _positive(kept, label, start, key)
        attributes = st.multiselect("Attributes: whose outcomes are compared", [c for c in names if c != label],
                                    [a for a in start.attributes if a in names and a != label], format_func=clean,
                                    key=f"{key}:attributes", help="Several make their intersections: women, 45+.")
    with right:
        said, scores, cut, kind = _models(frame, [c for c in names if c not in (label, *attributes)], start, key)
    free = [c for c in names if c not in (label, *attributes, *said, *scores)]
    more = _more(kept, frame, free, attributes, start)
    spec = AuditSpec(label, positive, tuple(said), tuple(scores), cut, kind, tuple(attributes), **more)
    if not st.button("Audit these columns", type="primary", key=f"{key}:go",
                     help="Checks the columns against the table and measures every group."):
        return
    try:
        audit_held.of_table(kept, spec)
    except BadInput as refused:
        st.error(plain(refused, 400))
        return
    update_audit(state.home(), kept.id, spec=spec)
    st.rerun()


def _one(label: str, options: list[str], value: str, key: str, none: str, help_: str) -> str:
    return st.selectbox(label, options, options.index(value) if value in options else 0, key=key, help=help_,
                        format_func=lambda c: clean(c) if c else none)


def _positive(kept: KeptAudit, label: str, start: AuditSpec, key: str) -> str:
    if not label:
        return st.text_input("Positive prediction", start.positive, key=f"{key}:positive:none", placeholder="yes",
                             help="The word of the prediction column that means selected; not needed for scores.")
    values = counted.label_values(kept.data, label)
    if len(values) > MOST_VALUES:
        st.warning(f"This column has {len(values):,} different values; a label has a few.")
        return ""
    words = [word for word, _ in values]
    options = words if len(words) == 2 else ["", *words]
    at = options.index(start.positive) if start.positive in options else len(options) - 1 if len(words) == 2 else 0
    sizes = dict(values)
    return st.selectbox("Positive value", options, at, key=f"{key}:positive:{label}",
                        format_func=lambda w: f"{clean(w)} ({sizes[w]:,} rows)" if w else "none: keep all classes",
                        help="The value that means yes. It is never assumed: say it.")


def _models(frame: pd.DataFrame, names: list[str], start: AuditSpec,
            key: str) -> tuple[list[str], list[str], float | None, str]:
    said = st.multiselect("Predictions (yes or no)", names, [c for c in start.predictions if c in names],
                          format_func=clean, key=f"{key}:said", help="One column a model, with the label's words.")
    numeric = [c for c in names if pd.api.types.is_numeric_dtype(frame[c]) and c not in said]
    scores = st.multiselect("Scores", numeric, [c for c in start.scores if c in numeric], format_func=clean,
                            key=f"{key}:scores", help="One column a model; more means the positive value.")
    if not scores:
        return said, scores, None, start.score_kind
    kind = st.segmented_control("The scores are", list(KINDS), default=start.score_kind, format_func=KINDS.get,
                                key=f"{key}:kind", required=True)
    cut = st.number_input("Selected from a score of", value=start.threshold if start.threshold is not None else 0.5,
                          key=f"{key}:cut", format="%.4g", help="The rule is: selected where score ≥ this.")
    return said, scores, float(cut), kind


def _more(kept: KeptAudit, frame: pd.DataFrame, free: list[str], attributes: list[str], start: AuditSpec) -> dict:
    key = f"columns:{kept.id}"
    numeric = [c for c in free if pd.api.types.is_numeric_dtype(frame[c])]
    with st.expander("Weights, persons, missing values, small groups", key=f"audit-more-{kept.id.lower()}"):
        a, b = st.columns(2, gap="large")
        with a:
            weight = _one("Sample weight", ["", *numeric], start.weight, f"{key}:weight", "none",
                          "How many people a row stands for.")
            person = _one("Rows of one person", ["", *[c for c in free if c != weight]], start.person,
                          f"{key}:person", "every row is another person",
                          "Intervals then draw persons, not rows: rows of one person are no independent evidence.")
            missing = st.segmented_control("A missing attribute is", list(MISSING), default=start.missing,
                                           format_func=MISSING.get, key=f"{key}:missing", required=True)
        with b:
            least = st.number_input("Too few rows below", 0, 100_000, start.min_n, key=f"{key}:min_n",
                                    help="Smaller groups are drawn hollow and left out of the worst group.")
            level = st.segmented_control("Intervals", [0.9, 0.95, 0.99], default=start.level, key=f"{key}:level",
                                         format_func=lambda v: f"{100 * v:g} %", required=True)
            reference = {a: v for a in attributes if (v := _reference(kept, a, start, key))}
    return {"weight": weight, "person": person, "reference": reference, "missing": missing, "min_n": int(least),
            "level": float(level)}


def _reference(kept: KeptAudit, attribute: str, start: AuditSpec, key: str) -> str:
    values = [word for word, _ in counted.label_values(kept.data, attribute)][:MOST_VALUES]
    held_ = start.reference.get(attribute, "")
    return _one(f"Compare with ({clean(attribute, 40)})", ["", *values], held_, f"{key}:ref:{attribute}",
                "the largest group", "The group that ratios and differences are told against.")


@st.cache_resource(show_spinner=False, max_entries=20)
def _guess(key: str, _frame: pd.DataFrame) -> AuditSpec:
    return guess_spec(_frame)
