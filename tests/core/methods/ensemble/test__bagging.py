from __future__ import annotations

import numpy as np
import pytest

from core.methods.ensemble._bagging import average, bag, hardness, tree_member
from core.methods.ensemble._members import Data, Sample


def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return Data(rng.normal(size=(90, 3)) + y[:, None], y, y, np.ones(90), 3, 3)


def everything(d):
    return Sample(d.x, d.y, d.w, d.sizes)


def test_the_ensemble_so_far_is_a_probability_in_every_round():
    d, seen = data(), []

    def choose(t, mean, rng):
        seen.append(mean)
        return everything(d)

    bag(d, 6, choose, tree_member(3, 2), np.random.default_rng(0), watch=True)
    assert seen[0] is None and len(seen) == 6
    for mean in seen[1:]:
        np.testing.assert_allclose(mean.sum(1), 1.0)


def test_members_have_the_same_say_and_counts_are_kept():
    d = data()
    fitted = bag(d, 3, lambda t, mean, rng: everything(d), tree_member(3, 2), np.random.default_rng(0))
    assert fitted.counts.tolist() == [d.sizes.tolist()] * 3
    constant = [lambda x, v=v: np.full((len(x), 2), v) for v in (0.2, 0.4, 0.9)]
    assert average(constant)(d.x)[0, 0] == pytest.approx(0.5)


def test_hardness_is_one_minus_the_probability_of_the_own_class():
    mean = np.array([[0.9, 0.1], [0.3, 0.7]])
    np.testing.assert_allclose(hardness(mean, np.array([0, 0])), [0.1, 0.7])
