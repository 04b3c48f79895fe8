"""Whose predictions are uninformative: sets of classes that promise to hold the truth, by group and policy."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.audit.conformal import Conformal, PolicySets, answer, conformal
from core.figures.sets import NAMES, path_table, plot_path, plot_sets, sets_table
from core.types import BadInput
from pages._ui import audit_held, charts, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, plain

KINDS = {"lac": "Least ambiguous (1 − p)", "aps": "Adaptive (mass above)"}
WORDS = {key: words[0].upper() + words[1:] for key, words in NAMES.items()}
DRAWN = 12
HOW = """
- **A set of classes instead of one**: half of the rows (whole persons, at random) set a threshold, and the sets of the
  other half are counted. A set holds every class whose score is at most the threshold. The score of a class is
  1 − p (least ambiguous; Sadinle, Lei & Wasserman 2019), or the probability of the classes put before it plus a random
  part of its own (adaptive; Romano, Sesia & Candès 2020).
- **The promise**: with n scores of true classes the threshold is the ⌈(n + 1)(1 − α)⌉-th smallest, and a set holds the
  truth in 1 − α of new rows or more, whatever the model, as long as the rows are like each other. Weights enter the
  quantile (Tibshirani et al. 2019). With several rows of a person the promise holds about, not exactly.
- **Policies** (Gao et al. 2026): with *one threshold for all* the promise holds for everyone together, and what one
  group's sets hold more often, others' hold less often. *Own thresholds* keep it in every group; what that costs shows
  in the size of the sets. *Equal sizes* give every group the same mean size on the first half. Of the two differences,
  in coverage and in size, a policy can only choose where they show, unless the groups' scores are alike.
- **Unclear**: the set names no class, or several. **Intervals** are Wilson's (shares) and normal (sizes); they hold
  the chance of the counted half and that of the threshold. Near the point where empty sets turn into full ones the
  interval of *unclear* covers less than it says. Another draw of the halves gives somewhat other numbers.
- **Limits**: coverage is an average over rows; equal coverage says nothing about the cost of an unclear set.
"""


def show(subject: Subject) -> None:
    """Answer, bars, controls, table, the trade."""
    said, drawn = st.container(), st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="sets-controls"):
        policy = query.choice("setpolicy", "Policy", list(WORDS), words=lambda k: WORDS[k], kind="segmented")
        misses = query.whole("setmiss", "May miss (%)", 1, 50, 10, width=140,
                             help="How often a set may leave out the truth: α.")
        kind = query.choice("setkind", "Score", list(KINDS), words=lambda k: KINDS[k], width=250)
        seed = query.whole("setdraw", "Draw of the halves", 0, 99, 0, width=160)
    try:
        found = audit_held.computed(subject, f"sets:{subject.model}:{misses}:{kind}:{seed}", lambda: conformal(
            subject.rows, subject.model, alpha=misses / 100, kind=kind, seed=seed))
    except BadInput as refused:
        said.info(plain(f"No sets, because: {refused}", 400))
        return
    of = found.policies[policy]
    with said:
        st.markdown("\n".join(f"- {plain(line, 500)}" for line in [*answer(found, policy), *found.notes[:5]]))
    with drawn:
        _bars(subject, of, f"{subject.key}:{subject.model}:{policy}:{misses}:{kind}:{seed}")
    _table(of)
    _trade(subject, found, f"{subject.key}:{subject.model}:{misses}:{kind}:{seed}")
    with st.expander("How is this computed", key="sets-how"):
        st.markdown(HOW)


def _bars(subject: Subject, of: PolicySets, same: str) -> None:
    table = sets_table(of)
    largest = [g.label for g in sorted(of.groups, key=lambda g: -g.n)[:DRAWN]]
    table = table[table["group"].isin(largest)]
    table = table.assign(group=[clean(g) for g in table["group"]])
    charts.show(lambda: plot_sets(table), "sets-bars", "What the sets of every group hold: one class, several or none",
                same=f"sets:{same}")
    if len(of.groups) > DRAWN:
        st.caption(f"Drawn: the {DRAWN} groups with most rows; the table has all {len(of.groups)}.")


def _table(of: PolicySets) -> None:
    rows = [{"group": clean(g.label), "n": g.n, "covered": _cell(g.coverage), "unclear": _cell(g.unclear),
             "size": _cell(g.size, share=False), "none": _cell(g.shares["none"]),
             "right": _cell(g.shares["one, right"]), "wrong": _cell(g.shares["one, wrong"]),
             "several": _cell(g.shares["several"]),
             "threshold": _threshold(g.threshold), "n_cal": g.n_calibration} for g in (*of.groups, of.everyone)]
    text, wide = st.column_config.TextColumn, {"alignment": "right", "width": tables.WIDE}
    number = st.column_config.NumberColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="sets-groups", alt="Sets of every group",
                 column_config={
                     "group": text("Group", pinned=True, width="medium"),
                     "n": number("Rows counted", format="localized"), "covered": text("Hold the truth", **wide),
                     "unclear": text("Unclear", help="No class or several", **wide),
                     "size": text("Mean number of classes", **wide), "none": text("No class", **wide),
                     "right": text("One, right", **wide), "wrong": text("One, wrong", **wide),
                     "several": text("Several", **wide), "threshold": text("Threshold", alignment="right"),
                     "n_cal": number("Rows for the threshold", format="localized")})
    gaps = {"Hold the truth": (of.coverage_gap, True), "Unclear": (of.unclear_gap, True),
            "Mean number of classes": (of.size_gap, False)}
    shown = "; ".join(f"{name}: {_points(value, share)}" for name, (value, share) in gaps.items())
    st.caption(f"Largest differences between groups with enough rows. {plain(shown, 400)}.")


def _trade(subject: Subject, found: Conformal, same: str) -> None:
    st.subheader("What a policy trades", anchor=False)
    table = path_table(found)
    if table.empty:
        st.caption("No trade to show, because fewer than two groups have enough rows.")
        return
    charts.show(lambda: plot_path(table), "sets-path", "Difference in coverage against difference in set size between "
                "groups, from one threshold for all to own thresholds", same=f"path:{same}")
    apart = "" if not np.isfinite(found.apart) else (f" The groups' own thresholds lie {found.apart:.3f} from a shared "
                                                     "one on average; at 0 all policies would be the same.")
    st.caption(f"Small dots: steps from one threshold for all to own thresholds.{apart}")


def _cell(value, share: bool = True) -> str:
    return tables.cell(value.value, value.low, value.high, value.undefined or "", share=share)


def _points(value, share: bool) -> str:
    return _cell(value, share).replace(" %", " points") if value.undefined is None else value.undefined


def _threshold(value: float) -> str:
    return "no rows" if np.isnan(value) else "none: all classes" if np.isinf(value) else f"{value:.3f}"
