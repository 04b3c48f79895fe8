from __future__ import annotations

import numpy as np
from imbalanced import clouds, fit, line, one_point, published_halves, recalls


def test_three_rare_rows_where_five_neighbours_are_asked_for_have_two():
    x, y = clouds((30, 3))
    five, two = (fit("smote_bagging", x, y, k=k, n_members=5) for k in (5, 2))
    np.testing.assert_array_equal(five(x), two(x))
    assert five.counts.tolist() == [[30, 30]] * 5


def test_a_single_rare_row_is_repeated():
    """As over-bagging: the threshold lies between the largest row drawn, m, and 10; x is rare where m < 2 x - 10."""
    p = fit("smote_bagging", *line(), n_members=400)(np.array([[7.1], [8.9], [9.1]]))[:, 1]
    np.testing.assert_allclose(p, [(5 / 9) ** 9, (8 / 9) ** 9, 1], atol=0.08)


def test_new_rows_fill_the_way_between_two_rare_ones():
    """Rare rows at (0, 0) and (1, 1), others around: copies leave the middle to them, new points do not."""
    x = np.array([[0.0, 0.0], [1.0, 1.0], *[[0.45, 0.55]] * 3, *[[0.0, 1.0]] * 20, *[[1.0, 0.0]] * 20])
    y = np.repeat([1, 0], [2, 43])
    copies, between = (fit(n, x, y, n_members=60)(np.array([[0.5, 0.5]]))[0, 1] for n in
                       ("over_bagging", "smote_bagging"))  # fmt: skip
    assert copies < 0.1 and between > 0.7


def test_sizes_of_a_progressive_schedule():
    x, y = clouds((40, 8, 4))
    steps = [[40, 8, 4], [40, 24, 22], [40, 40, 40]]
    assert fit("smote_bagging", x, y, n_members=3, schedule="progressive").counts.tolist() == steps


def test_amount_zero_is_plain_bagging():
    x, y = clouds()
    np.testing.assert_array_equal(*(fit(n, x, y, n_members=5, amount=0.0)(x) for n in
                                    ("over_bagging", "smote_bagging")))  # fmt: skip


def test_new_rows_have_the_weight_of_the_row_they_start_from():
    x, y, w = one_point()
    as_they_are = fit("smote_bagging", x, y, w, amount=0.0)(x[:1])
    np.testing.assert_allclose(as_they_are, [[8 / 14, 6 / 14]])
    np.testing.assert_allclose(fit("smote_bagging", x, y, w)(x[:1]), [[0.5, 0.5]])


def test_new_rows_find_more_of_the_rare_class_than_copies():
    x, y, x_test, y_test = published_halves()
    copies, new = (recalls(fit(n, x, y, n_members=15), x_test, y_test)[1] for n in ("over_bagging", "smote_bagging"))
    assert new > copies + 0.1


def test_the_seed_decides():
    x, y = clouds()
    one, same, other = (fit("smote_bagging", x, y, seed=s, n_members=5)(x) for s in (0, 0, 1))
    assert np.array_equal(one, same) and not np.array_equal(one, other)
