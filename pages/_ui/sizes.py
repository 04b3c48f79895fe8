"""How many rows every group and subgroup has, and what that allows to be said."""

from __future__ import annotations

import streamlit as st

from core.data.groups import half_width
from core.figures.sizes import plot_sizes
from core.types import StudySpec
from pages._ui import counted, held
from pages._ui.text import clean, count, plain

SPLITS = {"n_train": "Training", "n_val": "Validation", "n_test": "Test"}
ALL = 40  # as many rows are shown without scrolling


def answer(spec: StudySpec) -> str:
    """One or two sentences of Markdown: how many groups, the smallest, and how far its rates can be known."""
    groups, table = held.groups(spec), counted.sizes(spec)
    if len(groups.labels) == 1:
        return "Everyone is in one group: choose at least one attribute to compare groups."
    cells = table[table["n"] > 0]
    small = cells.loc[cells["n"].idxmin()]
    weak = int((cells["warning"] != "").sum())
    text = (f"**{count(len(groups.labels), 'group')}** are compared. The smallest subgroup is "
            f"{plain(small['class'])} among {plain(small['group'])}: {count(small['n'], 'row')}, "
            f"{small['n_test']:,} of them in the test part. ")
    if weak:
        return text + (f"{count(weak, 'subgroup')} of {len(cells)} have fewer than 100 test rows, so that a rate on "
                       f"the smallest is known to ±{round(100 * half_width(int(small['n_test'])))} points at best.")
    return text + "Every subgroup has at least 100 test rows."


def draw(spec: StudySpec, *, shares: bool = False) -> None:
    """Bars of rows per group and class; with `shares` all bars are equally long and classes' shares are compared."""
    classes = held.dataset(spec).classes
    what = "Shares of the classes within every group" if shares else "Rows of every group, by class"
    st.altair_chart(plot_sizes(counted.sizes(spec), class_order=classes, shares=shares), key=f"sizes-{shares}",
                    alt=clean(f"{what}. {answer(spec)}".replace("\\", "").replace("*", ""), 400))


def show(spec: StudySpec) -> None:
    """The chart and the table of sizes; merged groups are named."""
    groups, table = held.groups(spec), counted.sizes(spec)
    if groups.merged:
        st.caption(plain(f"Put together: {'; '.join(groups.merged)}.", 600))
    height = "content" if len(table) <= ALL else 36 * ALL
    shown = table.assign(group=[clean(g) for g in table["group"]], **{"class": [clean(c) for c in table["class"]]})
    shown["share"] *= 100
    st.dataframe(shown, hide_index=True, column_config=_columns(), height=height,
                 alt="Rows of each group and class in the three parts, with a warning where test rows are few")


def _columns() -> dict[str, object]:
    column = st.column_config
    parts = {name: column.NumberColumn(words, format="localized", help=f"Rows in the {words.lower()} part")
             for name, words in SPLITS.items()}
    return parts | {
        "group": column.TextColumn("Group"), "class": column.TextColumn("Class"),
        "n": column.NumberColumn("Rows", format="localized"),
        "share": column.NumberColumn("Of all rows", format="%.2f %%"),
        "warning": column.TextColumn("What the test part can tell", width="large"),
    }
