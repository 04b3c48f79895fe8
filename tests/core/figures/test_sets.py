from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from unsure import classifier

from core.audit.conformal import measure_sets
from core.audit.set_thresholds import split_halves
from core.figures.sets import NAMES, path_table, plot_path, plot_sets, sets_table


@pytest.fixture
def found():
    rng = np.random.default_rng(1)
    p, y, code = classifier(rng, 3000)
    return measure_sets(split_halves(p, y, code, ("sure", "unsure"), rng=rng), 0.1)


def drawn(chart):
    return pd.DataFrame(next(iter(chart.to_dict()["datasets"].values())))


def test_the_parts_of_a_bar_fill_it_and_end_where_the_shares_do(found):
    table = sets_table(found.policies["pooled"])
    for g in found.policies["pooled"].groups:
        part = table[table["group"] == g.label].set_index("part")
        assert part["right"].max() == pytest.approx(1)
        assert part.loc["one class, the right one", "right"] == pytest.approx(g.shares["one, right"].value)
        assert part.loc["several classes", "right"] - part.loc["several classes", "left"] == pytest.approx(
            g.shares["several"].value)
        assert f"{100 * g.shares['several'].value:.1f} % (" in part.loc["several classes", "text"]


def test_narrow_parts_carry_no_number_and_empty_ones_are_not_drawn(found):
    table = sets_table(found.policies["group"])
    width = table["right"] - table["left"]
    assert (table["label"][width < 0.07] == "").all() and (table["label"][width >= 0.07] != "").all()
    assert len(drawn(plot_sets(table))) == int((width > 0).sum())


def test_the_way_begins_and_ends_at_the_named_policies(found):
    table = path_table(found)
    way, ends = table[table["kind"] == "way"], table[table["kind"] == "policy"].set_index("name")
    assert set(ends.index) == set(NAMES.values()) and len(way) == 11
    for at, name in ((0, "one threshold for all"), (-1, "own thresholds")):
        assert way["coverage"].iloc[at] == ends.loc[name, "coverage"]
        assert way["size"].iloc[at] == ends.loc[name, "size"]
    assert len(drawn(plot_path(table))) == 14


def test_one_group_has_no_way_and_says_so():
    rng = np.random.default_rng(1)
    p, y, code = classifier(rng, 300)
    found = measure_sets(split_halves(p, y, code * 0, ("all",), rng=rng), 0.1)
    assert path_table(found).empty
    assert drawn(plot_path(path_table(found)))["message"].tolist() == ["Fewer than two groups to compare"]
