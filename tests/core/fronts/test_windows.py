from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.fronts.windows import BoxSearch, FloorSearch, RangeMax, WindowSearch

values = st.lists(st.integers(0, 5), min_size=1, max_size=6)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_range_maxima_are_leftmost(numbers):
    numbers = np.array(numbers)
    low, high = np.array([(i, j) for i in range(len(numbers)) for j in range(i, len(numbers))]).T
    expected = [i + int(numbers[i : j + 1].argmax()) for i, j in zip(low, high, strict=True)]
    assert RangeMax(numbers).argmax(low, high).tolist() == expected


def brute(axes, gains, bound):
    """(gain, gap) of the best choice with gap <= bound, of equal ones the smallest gap."""
    found = []
    for cut in product(*(range(len(g)) for g in gains)):
        gap = max(np.ptp([rate[c] for rate, c in zip(axis, cut, strict=True)]) for axis in axes)
        if gap <= bound + 1e-12:
            found.append((sum(g[c] for g, c in zip(gains, cut, strict=True)), -gap))
    return (max(found)[0], -max(found)[1]) if found else None


@given(st.lists(st.tuples(values, values), min_size=2, max_size=3), st.integers(0, 5))
def test_one_rate_search_equals_trying_everything(groups, bound):
    rates = [np.array(r[: min(len(r), len(g))]) / 5 for r, g in groups]
    gains = [np.array(g[: min(len(r), len(g))], dtype=float) for r, g in groups]
    search = WindowSearch(rates, gains)
    expected, found = brute([rates], gains, bound / 5), search.solve(bound / 5)
    assert (found is None) == (expected is None)
    if found and expected:
        assert (found.gain, found.gap) == pytest.approx(expected)
        assert np.ptp([r[c] for r, c in zip(rates, found.cut, strict=True)]) == pytest.approx(found.gap)
    assert (search.solve(search.smallest_gap()) is not None) and search.smallest_gap() == pytest.approx(
        min(np.ptp(c) for c in product(*rates)))


@given(st.lists(st.tuples(values, values, values), min_size=2, max_size=3), st.integers(0, 5))
def test_two_rate_search_equals_trying_everything(groups, bound):
    first, second, gains = [], [], []
    for f, t, g in groups:
        size = min(len(f), len(t), len(g))
        first.append(np.sort(f[:size]) / 5)
        second.append(np.sort(t[:size]) / 5)
        gains.append(np.array(g[:size], dtype=float))
    expected, found = brute([first, second], gains, bound / 5), BoxSearch(first, second, gains).solve(bound / 5)
    assert (found is None) == (expected is None)
    if found and expected:
        assert (found.gain, found.gap) == pytest.approx(expected)


def test_a_group_with_one_rate_alone_is_held_by_that_rate():
    full, half = np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0])
    search = BoxSearch([full, half, full], [full, None, full], [np.array([0.0, 1, 5])] * 1 + [np.array([3.0, 0])] + [
        np.array([0.0, 1, 5])])
    assert search.solve(0.0).gain == 10.0  # everybody in all: 5 + 0 + 5
    assert search.solve(1.0).gain == 13.0


def test_cells_reach_every_gain_within_one_cell(rng):
    rates = [np.sort(rng.random(400)) for _ in range(3)]
    gains = [rng.normal(size=400).cumsum() for _ in range(3)]
    search = WindowSearch(rates, gains)
    cells = [(float(np.ptp([r[c] for r, c in zip(rates, cut, strict=True)])),
              sum(g[c] for g, c in zip(gains, cut, strict=True))) for cut in search.cell_choices(0.02)]
    for bound in (0.02, 0.1, 0.4):
        exact = search.solve(bound).gain
        assert max(gain for gap, gain in cells if gap < bound + 0.02) >= exact - 1e-9


def test_corners_on_a_grid_keep_the_bound_and_nearly_the_gain(rng):
    axes = [[np.sort(rng.random(60)) for _ in range(2)] for _ in range(2)]
    gains = [rng.normal(size=60).cumsum() for _ in range(2)]
    exact, grid = BoxSearch(*axes, gains), BoxSearch(*axes, gains, corner=0.01)
    for bound in (0.1, 0.3):
        found = grid.solve(bound)
        assert found.gap <= bound + 1e-9
        assert exact.solve(bound - 0.01).gain - 1e-9 <= found.gain <= exact.solve(bound).gain + 1e-9


@given(st.lists(st.tuples(values, values), min_size=1, max_size=3), st.integers(0, 5))
def test_floor_search_equals_trying_everything(groups, bound):
    rates = [np.array(r[: min(len(r), len(g))]) / 5 for r, g in groups]
    gains = [np.array(g[: min(len(r), len(g))], dtype=float) for r, g in groups]
    every = list(product(*(range(len(r)) for r in rates)))
    worst = {cut: max(r[c] for r, c in zip(rates, cut, strict=True)) for cut in every}
    total = {cut: sum(g[c] for g, c in zip(gains, cut, strict=True)) for cut in worst}
    search = FloorSearch(rates, gains)
    kept = [(total[cut], -gap) for cut, gap in worst.items() if gap <= bound / 5 + 1e-12]
    found = search.solve(bound / 5)
    assert (found is None) == (not kept)
    if found:
        assert (found.gain, -found.gap) == pytest.approx(max(kept))
        assert found.gain in [total[tuple(cut)] for cut in search.all_choices().tolist()]
    assert search.smallest_gap() == pytest.approx(min(worst.values()))
