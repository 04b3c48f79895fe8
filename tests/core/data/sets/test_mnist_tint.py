from __future__ import annotations

import numpy as np
import pytest

from core.data.encode import make_task
from core.data.sets.mnist_tint import DATASET, tint_images
from core.data.split import make_splits
from core.types import SplitSpec


def _red_share(frame, half: str) -> float:
    return float((frame.loc[frame["half"].str.startswith(half), "tint"] == "red tint").mean())


def test_five_thousand_digits_five_hundred_of_each(opened):
    mnist = opened(DATASET)
    assert mnist.table.images.shape == (5_000, 3, 28, 28)
    assert mnist.frame["digit"].value_counts().to_dict() == {str(d): 500 for d in range(10)}
    assert mnist.data.y.mean() == 0.5 and mnist.data.classes[1] == "high digit (5–9)"


def test_the_tint_agrees_with_the_class_for_the_asked_share(opened):
    for share in (0.5, 0.9, 1.0):
        frame = opened(DATASET, share=share).frame
        assert _red_share(frame, "high") == pytest.approx(share, abs=0.03)
        assert _red_share(frame, "low") == pytest.approx(1 - share, abs=0.03)


def test_tinted_images_keep_the_digit_in_the_tints_channel_and_dim_the_others():
    grey = np.linspace(0, 1, 8, dtype=np.float32).reshape(2, 2, 2)
    images = tint_images(grey, np.array([True, False]), 0.6)
    assert images.dtype == np.float32
    assert np.allclose(images[0, 0], grey[0]) and np.allclose(images[0, 1:], 0.4 * grey[0])
    assert np.allclose(images[1, 1], grey[1]) and np.allclose(images[1, [0, 2]], 0.4 * grey[1])


def test_strength_zero_is_grey_and_strength_one_is_a_pure_colour(opened):
    grey = opened(DATASET, strength=0.0).table.images
    assert np.array_equal(grey[:, 0], grey[:, 1]) and np.array_equal(grey[:, 0], grey[:, 2])
    assert not opened(DATASET, strength=1.0).table.images[:, 2].any()


def test_the_seed_draws_other_tints_for_the_same_digits(opened):
    first, other = opened(DATASET).frame, opened(DATASET, seed=1).frame
    assert (first["digit"] == other["digit"]).all() and (first["tint"] != other["tint"]).any()


def test_the_ten_digits_are_classes_too(opened):
    mnist = opened(DATASET, task="ten digits")
    assert mnist.data.classes == tuple("0123456789") and "half" in mnist.data.roles.dropped


def test_only_pixels_reach_the_model(opened):
    mnist = opened(DATASET)
    task = make_task(mnist.data, mnist.groups, make_splits(mnist.data, mnist.groups, SplitSpec()))
    assert task.image_shape == (3, 28, 28) and task.x.shape == (5_000, 3 * 28 * 28)
    assert mnist.data.frame.shape[1] == 0
