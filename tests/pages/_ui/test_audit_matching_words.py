from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

from core.types import Value
from pages._ui.audit_matching_words import said

SUBJECT = SimpleNamespace(rows=SimpleNamespace(groups=SimpleNamespace(labels=("men", "women"))))


def value(v, low=np.nan, high=np.nan, undefined=None, how="x"):
    return Value(v, low, high, 100, undefined, how)


def found(effect, *, after=0.01, share=0.9, gamma=np.nan, pairs=100):
    return SimpleNamespace(first=1, second=0, counted="predicted yes", whom="everyone", raw=value(-0.2, -0.3, -0.1),
                           effect=effect, p=0.01, share=share, gamma=value(gamma), rows=np.zeros((pairs, 2)),
                           balance=pd.DataFrame({"feature": ["income_k"], "value": [""], "after": [after]}))


def test_pairs_that_differ_more_than_chance_and_what_could_undo_it():
    words = said(SUBJECT, found(value(-0.1, -0.15, -0.05), gamma=1.4), 100.0)
    assert "Among 100 pairs of like people the difference is **−10.0** points (−15.0 to −5.0)" in words
    assert "more than chance explains (p = 0.010)" in words and "1.40 times as large could undo this" in words
    assert "not alike" not in words and "Only" not in words


def test_chance_pairs_that_are_not_alike_and_few_partners_are_said():
    words = said(SUBJECT, found(value(-0.1, -0.25, 0.05), after=-0.3, share=0.2), 100.0)
    assert "chance alone could make it" in words and "Only 20.0 % found a like partner" in words
    assert "**not alike** in income\\_k" in words


def test_no_pairs_and_no_interval_are_words():
    assert "too few pairs of like people to say more (0 pairs)" in said(
        SUBJECT, found(value(np.nan, undefined="0 pairs"), after=np.nan, pairs=0), 100.0)
    assert "without an interval" in said(SUBJECT, found(value(-0.1)), 100.0)
