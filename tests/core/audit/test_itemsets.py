from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from core.audit.itemsets import Half, columns_of, half_of, halves, itemsets, rate_in
from core.audit.prepare import make_predictions
from core.audit.strata import outcome_of
from core.inference import effective_n
from core.types import AuditSpec


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "hours": rng.normal(40, 10, n).round(1), "job": rng.choice(["a", "b", "c", None], n),
        "start": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        "children": rng.integers(0, 3, n), "sex": rng.choice(["w", "m"], n), "y": rng.choice(["yes", "no"], n),
        "p": rng.choice(["yes", "no"], n), "weight": rng.choice([0.5, 1.0, 3.0], n), "who": rng.integers(0, 80, n)})


def rows_of(frame, **spec):
    return make_predictions(frame, AuditSpec("y", "yes", ("p",), **({"attributes": ("sex",)} | spec)))


def by_hand(half, sizes, most, share, min_n):
    """(conditions) -> rows, weight, squared weight, weight of hits, each slice by a mask of its own."""
    out = {}
    for k in range(1, most + 1):
        for features in combinations(range(len(sizes)), k):
            for parts in product(*(range(sizes[f]) for f in features)):
                mask = np.all([half.codes[f] == v for f, v in zip(features, parts, strict=True)], axis=0)
                w = half.weight[mask]
                if mask.sum() >= min_n and w.sum() >= share * half.weight.sum():
                    out[tuple(zip(features, parts, strict=True))] = (mask.sum(), w.sum(), (w * w).sum(),
                                                                     (w * half.x[mask]).sum())
    return out


@pytest.mark.parametrize("weight", ["", "weight"])
@pytest.mark.parametrize(("most", "share", "min_n"), [(3, 0.03, 1), (3, 0.001, 5), (2, 0.05, 20), (1, 0.4, 1)])
def test_every_slice_with_enough_rows_is_counted_as_by_hand(weight, most, share, min_n):
    rows = rows_of(table(), weight=weight)
    columns = columns_of(rows)[0]
    half = half_of(rows, outcome_of(rows, 0, "error"), columns, np.ones(rows.n, bool))
    sizes = [len(c.conditions) for c in columns]
    found = itemsets(half, sizes, most, share, min_n)
    key = [tuple((f, v) for f, v in zip(fs, vs, strict=True) if f >= 0)
           for fs, vs in zip(found.items.tolist(), found.part.tolist(), strict=True)]
    want = by_hand(half, sizes, most, share, min_n)
    assert len(set(key)) == len(key) and set(key) == set(want)
    np.testing.assert_allclose(found.counts.T, [want[k] for k in key])
    for s, conditions in enumerate(key):
        parents = {key[p] for p in found.parent[s] if p >= 0}
        assert parents == (set(combinations(conditions, len(conditions) - 1)) if len(conditions) > 1 else set())
        assert found.mask(half, s).sum() == found.counts[0, s]
    whole = next(s for s, k in enumerate(key) if len(k) == min(most, 2))
    assert all(found.within(whole, p) and not found.within(p, whole) for p in found.parent[whole] if p >= 0)


def test_nothing_holds_enough_rows():
    half = Half(np.zeros(4), None, None, (np.arange(4),))
    found = itemsets(half, [4], 3, 0.5, 1)
    assert found.items.shape == (0, 3) and found.counts.shape == (4, 0)


def test_columns_are_cut_and_put_into_words():
    frame = table().assign(hours=lambda f: f["hours"].where(f.index > 20), ident=range(300), same="x",
                           text=[f"word {k}" for k in range(300)])
    columns, left_out = columns_of(rows_of(frame))
    words = {c.name: [k.words for k in c.conditions] for c in columns}
    assert words["sex"] in (["sex = w", "sex = m"], ["sex = m", "sex = w"])
    assert len(words["hours"]) == 5 and words["hours"][-1] == "hours missing"
    assert words["hours"][0].startswith("hours under ") and words["hours"][3].endswith(" or more")
    assert words["children"] == ["children = 0", "children = 1", "children = 2"]
    assert "job missing" in words["job"] and words["start"][0].startswith("start before 20")
    assert {name for name, _ in left_out} == {"same", "text"} and all(reason for _, reason in left_out)


def test_halves_part_the_rows_and_keep_persons_whole():
    rows = rows_of(table(), person="who")
    first, second = halves(rows, np.random.default_rng(3))
    assert (first ^ second).all() and 100 < first.sum() < 200
    assert not set(rows.person[first]) & set(rows.person[second])
    alone = halves(rows_of(table()), np.random.default_rng(3))[0]
    assert alone.sum() == 150 and (alone == halves(rows_of(table()), np.random.default_rng(3))[0]).all()


def test_effective_rows_of_persons_are_those_of_the_clustered_variance():
    rng = np.random.default_rng(0)
    x, everyone = np.repeat(rng.integers(0, 2, 100), 5).astype(float), np.ones(500, bool)
    alone = Half(x, None, None, ())
    together = Half(x, None, np.repeat(np.arange(100), 5), ())
    assert rate_in(alone, everyone) == (x.mean(), 500, 500)
    assert rate_in(together, everyone) == pytest.approx((x.mean(), 100, 500))  # five equal rows are one
    assert rate_in(Half(np.ones(500), None, np.repeat(np.arange(100), 5), ()), everyone)[1] == 100
    w = rng.random(500)
    assert rate_in(Half(x, w, None, ()), everyone)[1] == pytest.approx(effective_n(w))
    assert rate_in(alone, ~everyone)[1:] == (0.0, 0)
