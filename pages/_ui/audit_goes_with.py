"""Which words and values go with the outcome in every group, part of "why do the groups differ"."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.audit.terms import GoesWith, examples, goes_with
from core.types import BadInput
from pages._ui import audit_held, query, tables
from pages._ui.audit_held import Subject
from pages._ui.audit_pair import Choice, chance, points
from pages._ui.text import clean, count, plain

TARGETS = {"outcome": "What goes with the outcome, within each group",
           "group": "What tells the two groups apart, within each outcome"}
HOW = """
Every word of a column, every number at or above its median, and every word or pair of words of a text is a candidate
that a row has or has not (terms of the same texts are one, named by the longest word). Three
ways pick among them: **globally** (logistic regression with an L1 penalty, blind to
the strata), **with interactions** (the same with a slope of its own for every stratum: finds what turns around), and
**within strata** (means of the strata taken off, every stratum weighing the same, lasso: finds what a large stratum
drowns, and rejects what only stands for the stratum). Differences are rates with it less rates without it (Newcombe);
"within" is their mean over the strata. p-values are adjusted over all candidates (Holm), those for turning around are
Gail and Simon's. The ranges of what was picked are a little too far from zero, as picking favours the extreme. At most
5,000 rows and one row of a person are used; sample weights count. Nothing here is a cause. Naming what
several words have in common is left to you: write it beside them. Source: Xu, Liu, Ai 2026, Conditional Hypothesis
Generation, where a language model does the naming.
"""


def show(subject: Subject, pick: Choice) -> None:
    """Controls, the answer, a row a candidate, examples."""
    names = [str(c) for c in subject.rows.features.columns]
    places = {"": "the groups or outcomes", **{str(k): clean(name, 60) for k, name in enumerate(names)}}
    with st.container(horizontal=True, vertical_alignment="bottom", key="audit-goes-set"):
        target = query.choice("goes_target", "Question", list(TARGETS), words=TARGETS.get, width=400)
        by = query.choice("goes_by", "Strata", list(places), words=places.get, width=260,
                          help="People are compared within these. A feature instead of the groups is held fixed.")
        k = query.whole("goes_k", "Picked by each way", 1, 30, 8, width=150)
    what, strata = f"goes:{subject.model}:{pick}:{target}:{by}:{k}", names[int(by)] if by else ""
    try:
        found: GoesWith = audit_held.computed(subject, what, lambda: goes_with(
            subject.rows, subject.model, pick.outcome, pick.first, pick.second, target, strata, k))
    except BadInput as refused:
        st.info(plain(refused, 400))
        return
    st.markdown(said(found, subject.rows.spec.level))
    _table(found)
    _examples(subject, found)
    notes = [plain(note, 200) for note in found.notes]
    notes += [f"Left out: {plain(name, 60)} ({plain(reason, 80)})." for name, reason in found.candidates.left_out[:8]]
    st.caption(" ".join([*notes, HOW.replace("\n", " ").strip()]))


def said(found: GoesWith, level: float) -> str:
    """What surely turns around, and what surely goes with it everywhere."""
    turns = [_name(found, f.place) for f in found.findings if f.turn_holm < 1 - level]
    sure = [_name(found, f.place) for f in found.findings if f.within_holm < 1 - level and f.turn_holm >= 1 - level]
    head = f"Of {count(len(found.candidates.names), 'word or value', 'words and values')} looked at"
    if not turns and not sure:
        return f"{head}, none surely goes with **{plain(found.asked, 120)}** within the strata."
    parts = [f"**{_listed(sure)}** surely {'goes' if len(sure) == 1 else 'go'} with **{plain(found.asked, 120)}** "
             "within the strata"] if sure else []
    parts += [f"**{_listed(turns)}** {'turns' if len(turns) == 1 else 'turn'} around between strata: more of it in "
              "one, less in another, beyond chance"] if turns else []
    return f"{head}, {'; '.join(parts)}."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(plain(name, 80) for name in names[:5]) + more


def _name(found: GoesWith, place: int) -> str:
    column, what = found.candidates.names[place]
    return f"{column}: {what}"


def _table(found: GoesWith) -> None:
    rows = []
    for f in found.findings:
        each = {f"s{s}": points(v) for s, v in enumerate(f.by_stratum)}
        rows.append({"what": clean(_name(found, f.place)), "within": points(f.within), "sure": chance(f.within_holm),
                     **each, "turn": chance(f.turn_holm) if f.turns else "same sign", "overall": points(f.overall),
                     "share": 100 * f.share, "picked": ", ".join(f.picked), "mine": ""})
    text, wide = st.column_config.TextColumn, {"alignment": "right", "width": tables.WIDE + 20}
    config = {"what": text("Word or value", pinned=True, width="medium"),
              "within": text("Within strata, points", **wide),
              "sure": text("No part within"), "turn": text("One sign everywhere", help="Small: signs truly differ"),
              **{f"s{s}": text(f"{clean(label, 40)} ({n:,} rows)", **wide)
                 for s, (label, n) in enumerate(zip(found.strata, found.sizes, strict=True))},
              "overall": text("Blind to strata, points", **wide), "picked": text("Picked", width="medium"),
              "share": st.column_config.NumberColumn("Rows with it", format="%.0f %%"),
              "mine": text("In your words", help="Write what it means; kept while this view is open", width="medium")}
    st.data_editor(pd.DataFrame(rows), hide_index=True, height="content", key="audit-goes-table", column_config=config,
                   disabled=[name for name in config if name != "mine"], alt="Words and values with their differences")


def _examples(subject: Subject, found: GoesWith) -> None:
    """Some cells that have a chosen candidate, stratum by stratum, for those of texts."""
    of_text = {str(f.place): _name(found, f.place) for f in found.findings
               if found.candidates.names[f.place][0] in found.candidates.texts}
    if not of_text:
        return
    place = query.choice("goes_example", "Examples of", list(of_text), words=lambda p: clean(of_text[p]), width=320)
    rows = [{"stratum": clean(label, 60), "text": clean(cell, 300)} for s, label in enumerate(found.strata)
            for cell in examples(subject.rows, found, int(place), s)]
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-goes-examples", column_config={
        "stratum": st.column_config.TextColumn("Stratum", pinned=True),
        "text": st.column_config.TextColumn("Text", width="large")}, alt="Texts that have the chosen word")
