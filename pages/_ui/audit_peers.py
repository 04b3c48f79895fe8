"""Why other tools show other numbers: ours beside those of four tools for the same rows, with the reasons in words."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.audit.peer_rules import TOOLS, Peer, Quantity
from core.audit.peers import PeerTable, compare_peers
from core.types import BadInput, Value
from pages._ui import audit_held, query, tables
from pages._ui.audit_held import Subject
from pages._ui.text import clean, count, plain

SAME, OTHER, EACH, NONE = "=", "≠", "⋯", "–"
SHOWN_GROUPS = 3
VERSIONS = "Fairlearn 0.15, AIF360 0.6, Aequitas 1.1 and OxonFair 0.3"
APART = ("disparities",)  # many names, no main one: in the table of all numbers only


def show(subject: Subject) -> None:
    """Sentence, table of quantities by tool, reasons, and every number of one quantity."""
    try:
        found: PeerTable = audit_held.computed(
            subject, f"peers:{subject.model}",
            lambda: compare_peers(subject.rows, audit_held.audited(subject), subject.model))
    except BadInput as e:
        st.info(plain(e, 400))
        return
    st.write(_said(found))
    _overview(found)
    st.caption(f"{SAME} as ours, {OTHER} another number, {EACH} one number for each group as ours would be, {NONE} has "
               "none. Each tool's main number; its other forms are below. All are exact for the same rows: differences "
               "come from rules, not from chance. Our interval says how sure the number is for people like these.")
    _reasons(found)
    _one(found)
    with st.expander("How is this computed", key="audit-peers-how"):
        _how(subject, found)


def _said(found: PeerTable) -> str:
    differing = [p for p in found.peers if p.differs]
    tools = ", ".join(tool for tool in TOOLS if any(p.tool == tool for p in differing))
    total, first = count(len(found.peers), "number"), found.quantities[0]
    head = (f"**{len(differing):,} of {total} that the four tools give for these rows are not ours** ({tools}): same "
            "words, other rules." if differing else f"**All {total} of the four tools are ours.**")
    shown = "; ".join(f"{tool} {_cell(first, tool)[2:]}" for tool in TOOLS if _main(first, tool))
    return (f"{head} {plain(first.title)}: ours {plain(_ours(first.ours, first.slug))}; {plain(shown, 300)}. AIF360 "
            f"needs a privileged group: it is {plain(found.reference)}, the reference group, against everyone else; "
            "Aequitas divides by it.")


def _overview(found: PeerTable) -> None:
    rows = [{"title": q.title, "ours": clean(_ours(q.ours, q.slug), 160), "n": q.ours.n if q.ours.n > 0 else None}
            | {tool: clean(_cell(q, tool), 200) for tool in TOOLS}
            for q in found.quantities if q.slug not in APART]
    text = st.column_config.TextColumn
    st.dataframe(pd.DataFrame(rows), hide_index=True, height="content", key="audit-peers-table",
                 alt="Quantities by tool, with a sign where a tool's number is not ours",
                 column_config={"title": text("Quantity", pinned=True, width="medium"),
                                "ours": text("Ours (interval)", width=200),
                                "n": st.column_config.NumberColumn("Rows", format="localized",
                                                                   help="Rows behind ours, effective with weights"),
                                **{tool: text(tool, width=150) for tool in TOOLS}})


def _main(quantity: Quantity, tool: str) -> list[Peer]:
    """The tool's numbers by its main name, one or one for each group."""
    mine = [p for p in quantity.peers if p.tool == tool]
    if quantity.slug == "interval":  # both ends
        return [p for p in mine if not p.group]
    return [p for p in mine if p.name == mine[0].name]


def _cell(quantity: Quantity, tool: str) -> str:
    peers = _main(quantity, tool)
    if not peers:
        return NONE
    sign = OTHER if any(p.differs for p in peers) else EACH if peers[0].group else SAME
    if peers[0].refuses:
        return f"{OTHER} {peers[0].refuses}"
    if not peers[0].group:
        return f"{sign} {' to '.join(_number(p.value, quantity.slug) for p in peers)}"
    more = f" and {len(peers) - SHOWN_GROUPS} more" if len(peers) > SHOWN_GROUPS else ""
    return f"{sign} " + ", ".join(f"{p.group} {_number(p.value, quantity.slug)}" for p in peers[:SHOWN_GROUPS]) + more


def _number(value: float, slug: str) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "∞"
    return f"{value:,.0f}" if slug == "rows_in_groups" else f"{value + 0.0:.3f}"


def _ours(value: Value, slug: str) -> str:
    if math.isnan(value.value):
        return f"undefined, {value.undefined}"
    ends = f" ({value.low:.3f}–{value.high:.3f})" if math.isfinite(value.low) and math.isfinite(value.high) else ""
    return _number(value.value, slug) + (ends or f" ({value.how})")


def _reasons(found: PeerTable) -> None:
    """Why the main numbers differ, each reason once with the quantities it holds for."""
    why: dict[tuple[str, str], dict[str, None]] = {}
    for tool in TOOLS:
        for quantity in found.quantities:
            for peer in _main(quantity, tool):
                for reason in peer.reasons:
                    why.setdefault((tool, reason), {})[quantity.title] = None
    if not why:
        return
    st.markdown("**Why they differ**")
    st.markdown("\n".join(f"- {OTHER} {plain(reason, 500)} *{plain(', '.join(titles), 300)}*"
                          for (_, reason), titles in why.items()))


def _one(found: PeerTable) -> None:
    by_slug = {q.slug: q for q in found.quantities}
    quantity = by_slug[query.choice("peersof", "Every number of", list(by_slug), words=lambda k: by_slug[k].title)]
    rows = [{"sign": OTHER if p.differs else SAME, "tool": p.tool, "name": p.name, "group": clean(p.group),
             "value": p.refuses or _number(p.value, quantity.slug), "ours": _number(p.ours, quantity.slug),
             "how": clean(p.how, 200), "why": clean(p.why, 400)} for p in quantity.peers]
    names = {"sign": "", "tool": "Tool", "name": "Its name for it", "group": "Group", "value": "Its number",
             "ours": "Ours beside it", "how": "Its rule", "why": "Why it differs"}
    st.dataframe(pd.DataFrame(rows, columns=list(names)), hide_index=True, height="content", key="audit-peers-one",
                 alt="Every number of the chosen quantity",
                 column_config={k: st.column_config.TextColumn(v, alignment="right" if k in ("value", "ours") else None)
                                for k, v in names.items()})
    everything = pd.DataFrame([{**vars(p), "reasons": p.why} for p in found.peers])
    tables.download(everything, "other-tools", "audit-peers-download", "Download every number as CSV")


def _how(subject: Subject, found: PeerTable) -> None:
    words = [f"{q.title} is {q.how}" for q in found.quantities if q.how and q.slug not in APART]
    weights = "; ".join(f"{tool} {does}" for tool, does in found.weights)
    persons = subject.rows.person is not None
    st.markdown("\n\n".join(filter(None, (
        f"Each number follows from the counts by the tool's own rule, as in the code of {VERSIONS}, with the positive "
        f"class {plain(subject.rows.classes[1])} as 1; the tools need not be installed.",
        f"Ours: {plain('; '.join(words), 3000)}.",
        "Where a rate is 0 / 0 ours is undefined and left out by name; Fairlearn and OxonFair take 0, AIF360 nan or 0, "
        "Aequitas nan. The entropy indices measure the benefit prediction − label + 1 (Speicher et al. 2018). Aequitas "
        "has no single number for equalized odds: it asks whether both rates' disparities lie between 0.8 and 1.25.",
        f"Weights: {weights}." if weights else "",
        "Our intervals draw whole persons; none of the tools knows that rows belong to one." if persons else "",
        "Limits: several attributes make one intersection here, as one column would for the tools; other versions may "
        "compute otherwise."))))
