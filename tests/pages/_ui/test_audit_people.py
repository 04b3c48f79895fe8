from __future__ import annotations

import pandas as pd
import pytest
from filled import texts

from core.data.load import save_upload
from core.store.audits import add_audit
from core.types import AuditSpec


def kept(folder, wrong, **columns):
    """200 rows a group, half of them truly yes; `wrong` of 100 are predicted wrongly in each group."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(y, y if k >= n else ("no" if y == "yes" else "yes"), sex) for sex, n in wrong.items()
            for y in ("yes", "no") for k in range(100)]
    frame = pd.DataFrame(rows, columns=["y", "said", "sex"])
    frame = frame.assign(**{name: values[:len(frame)] for name, values in columns.items()})
    data = save_upload(folder, "people.csv", frame.to_csv(index=False).encode())
    return add_audit(folder, "People", data, AuditSpec("y", "yes", ("said",), attributes=("sex",))).id


def frame_of(at, key):
    return next(d.value for d in at.dataframe if key in d.value.columns)


def test_equal_groups_with_unequal_people_are_told_apart(app, folder):
    at = app("audit", audit=kept(folder, {"women": 40, "men": 40}), view="people", people_benefit="correct")
    assert not at.exception and "Among people the Gini of the benefits is 0.40" in texts(at)
    assert "no more than chance alone explains" in texts(at) and "0.0 % (0.0–" in texts(at)
    parts = frame_of(at, "Share between").set_index("Index")
    assert parts.loc["Theil (adds up)", "Share between"].startswith("0.0 %")
    assert "multiply" in parts.loc["Atkinson (multiplies)", "Share between"]


def test_a_gap_between_groups_beyond_chance_is_said_with_all_measures(app, folder):
    at = app("audit", audit=kept(folder, {"women": 5, "men": 40}), view="people", people_benefit="correct")
    assert "more than chance alone explains" in texts(at) and "no more than" not in texts(at)
    table = frame_of(at, "Measure").set_index("Measure")
    assert len(table) == 8 and table.loc["Range", "Value (interval)"].startswith("0.35")
    assert "no interval" in table.loc["F statistic", "Value (interval)"]


def test_who_is_wrongly_refused_and_accepted_is_said_in_shares(app, folder):
    at = app("audit", audit=kept(folder, {"women": 20, "men": 10}), view="people")
    assert "Wrongly refused are 7.5 %, wrongly accepted 7.5 %, and 85.0 % are treated as is true" in texts(at)
    assert "there are no columns that tell people apart" in texts(at)


def test_settings_lie_in_the_address_and_change_the_index(app, folder):
    ident = kept(folder, {"women": 20, "men": 20})
    some = app("audit", audit=ident, view="people", people_benefit="correct", people_index="atkinson")
    more = app("audit", audit=ident, view="people", people_benefit="correct", people_index="atkinson", people_eps="1")
    assert "Atkinson of the benefits is 0.20" in texts(some) and "Atkinson of the benefits is 1.00" in texts(more)
    log = app("audit", audit=ident, view="people", people_index="entropy", people_alpha="0")
    assert "Generalised entropy is undefined, because somebody has a benefit of 0" in texts(log)


@pytest.mark.parametrize("part, words", [("alike", "Alike people get the same answer in"),
                                         ("odds", "Against the odds are decided")])
def test_the_other_views_are_offered_where_there_are_features(app, folder, part, words):
    at = app("audit", audit=kept(folder, {"women": 20, "men": 10}, x=[k * 7 % 31 for k in range(400)]), view="people",
             people_part=part)
    assert not at.exception and words in texts(at)
