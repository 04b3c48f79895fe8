from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data.text import encode_text, word_vectors
from core.types import BadInput

RNG = np.random.default_rng(0)
GOOD, BAD = ["lovely", "great", "happy", "perfect"], ["awful", "broken", "sad", "poor"]
LABEL = np.arange(200) % 2
TEXTS = pd.Series([" ".join(RNG.choice(GOOD if y else BAD, 5)) + " dress" for y in LABEL])


@pytest.mark.parametrize("encoder", ["tfidf", "word_vectors"])
def test_directions_separate_texts_of_different_words(encoder):
    values, names = encode_text(TEXTS, np.arange(100), "review", encoder)
    assert values.dtype == np.float32 and len(names) == values.shape[1] and np.isfinite(values).all()
    means = values[:100][LABEL[:100] == 1].mean(0) - values[:100][LABEL[:100] == 0].mean(0)
    guess = (values[100:] @ means) > 0
    assert (guess == LABEL[100:]).mean() > 0.95


def test_a_missing_text_is_told_to_the_model():
    texts = TEXTS.copy()
    texts[3] = None
    values, names = encode_text(texts, np.arange(100), "review", "tfidf")
    assert names[-1] == "review missing" and values[3, -1] == 1 and values[:, -1].sum() == 1


def test_texts_without_a_repeated_word_give_no_column():
    values, names = encode_text(pd.Series(["aa bb", "cc dd", "ee ff"]), np.arange(3), "t", "tfidf")
    assert values.shape == (3, 0) and names == ()


def test_shipped_vectors_have_sane_neighbours():
    index, vectors = word_vectors()
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = np.argsort(-unit @ unit[index["doctor"]])[:12]
    words = list(index)
    assert {words[k].lower() for k in near} & {"surgeon", "physician", "nurse", "dentist"}


def test_an_unknown_encoder_is_refused():
    with pytest.raises(BadInput, match="Text encoder"):
        encode_text(TEXTS, np.arange(100), "t", "bert")
