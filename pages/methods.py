"""Methods: what can be tried?"""

from __future__ import annotations

import streamlit as st

from core import registry
from pages._ui import method_cards, plans, query, state
from pages._ui.text import count

HOW = """
- **The list is the registry itself**: a method that is there can be trained, swept and seen on every page.
- **Needs** says which columns a method looks at; what it does not name is hidden from it while it trains.
- **Stacked** methods train all settings and seeds as one run; **looped** ones (scikit-learn) train one after another.
- **Checks** run the suite that every method must pass, here and now: its loss is finite and stacks, the same seed gives
  the same result, it only sees what it says it needs, both ends of every setting work, its limits equal the methods
  they name, and it learns a small task.
- **Our reading** is given where a paper left details open; **known failures** are what you should look out for.
"""

row = state.study()
known = registry.methods()
st.title("What can be tried?", anchor=False)
blind = sum("attr_train" not in m.needs for m in known.values())
st.write(f"{count(len(known), 'method')} in {count(len({m.family for m in known.values()}), 'family', 'families')}; "
         f"{blind} never see who belongs to which group while they train. Any of them can be tried on the open study "
         "with one click, beside plain training on the same rows and batches.")
with st.container(horizontal=True, vertical_alignment="bottom", key="methods-filter"):
    words = st.text_input("Search", key="methods:search", placeholder="a name, a word, an author", width=300,
                          help="Searches names, summaries, sources and settings.")
    family = query.choice("family", "Family", plans.families(known), width=260, words=plans.family_words)
    sight = query.choice("sight", "Groups while training", list(plans.SIGHT), kind="segmented", words=plans.SIGHT.get)
    pace = query.choice("pace", "Runs are trained", list(plans.PACE), kind="segmented", words=plans.PACE.get,
                        help="All runs of a stacked method train together; classics and trees train one by one.")
found = method_cards.matching(words, family, sight, pace)
st.caption(f"{count(len(found), 'method')} shown.")
if not found:
    st.info("No method fits. Use fewer words, or choose all families.")
with st.grid(2, min_column_width=380, key="method-cards"):
    for method in found:
        with st.container(border=True, height="stretch", key=f"method-{method.name}"):
            method_cards.card(method, row)
with st.expander("How is this computed", key="how-methods"):
    st.markdown(HOW)
