"""Imbalanced tables for tests of the ensembles, and fits on all of their rows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from core import registry
from core.types import Rows


def fit(name: str, x, y, w=None, attr=None, seed: int = 0, **settings):
    """The ensemble `name` learnt from all rows x (M, D), y (M,), with weights and attribute groups where given."""
    method, y = registry.method(name), np.asarray(y)
    attr = np.zeros(len(y), int) if attr is None else attr
    n_attrs = int(attr.max()) + 1
    task = SimpleNamespace(x=np.asarray(x, np.float32), y=y, subgroup=y * n_attrs + attr, n_classes=int(y.max()) + 1,
                           n_attrs=n_attrs)  # fmt: skip
    rows = Rows(index=np.arange(len(y)), weight=np.ones(len(y)) if w is None else np.asarray(w, float))
    return method.fit(task, rows, {p.name: p.default for p in method.params} | settings, seed)


def clouds(sizes=(300, 60, 30), features: int = 4, seed: int = 0, apart: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    """One Gaussian cloud per class, `apart` from the next along the first feature."""
    rng, y = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(y), features))
    x[:, 0] += apart * y
    return x.astype(np.float32), y


def line() -> tuple[np.ndarray, np.ndarray]:
    """Nine rows of class 0 at 0, 1 .. 8 and a single one of class 1 at 10: every tree is one threshold."""
    return np.array([*range(9), 10.0])[:, None], np.repeat([0, 1], [9, 1])


def two_points() -> tuple[np.ndarray, np.ndarray]:
    """Six rows of class 0 at 0; three of class 0 and one of class 1 at 1."""
    return np.repeat([0.0, 1.0], [6, 4])[:, None], np.repeat([0, 1], [9, 1])


def one_point() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eight rows of class 0 with weight 1 and two of class 1 with weight 3, which no feature can tell apart."""
    return np.zeros((10, 1)), np.repeat([0, 1], [8, 2]), np.repeat([1.0, 3.0], [8, 2])


def recalls(predict, x, y) -> np.ndarray:
    """(C,) share of each class that is named rightly."""
    right = predict(np.asarray(x, np.float32)).argmax(1) == y
    return np.bincount(y, right) / np.bincount(y)


def published_halves() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(x, y, x of the other half, y of it): 3,000 made-up rows, 5 % positive, halved with the same share in both."""
    x, y = make_classification(3000, 10, n_informative=4, n_redundant=1, weights=[0.95, 0.05], class_sep=0.8,
                               flip_y=0.01, random_state=0)  # fmt: skip
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
    x = x.astype(np.float32)
    return x[train], y[train], x[test], y[test]


def adaboost(x, y, w=None, rounds: int = 20, depth: int = 1) -> AdaBoostClassifier:
    """scikit-learn's AdaBoost of trees."""
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=rounds, random_state=0)
    return model.fit(x, y, w)
