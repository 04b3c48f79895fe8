"""Free text as numbers: TF-IDF with truncated SVD fitted on training rows, or the mean of shipped word vectors."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from core.types import BadInput

ENCODERS = ("tfidf", "word_vectors")
VECTORS = Path(__file__).resolve().parents[2] / "assets" / "data" / "w2v_gnews26k_pca50_f16.npz"
PATTERN = r"[A-Za-z][A-Za-z']+"


def encode_text(column: pd.Series, train: np.ndarray, name: str, encoder: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """(N) texts -> (N, k) float32 and k names, k <= 50 directions plus "<name> missing" where any text is missing."""
    if encoder not in ENCODERS:
        raise BadInput("Text encoder", repr(encoder), "one of " + ", ".join(ENCODERS), "use tfidf")
    absent = column.isna().to_numpy()
    texts = column.fillna("").astype(str)
    values = _tfidf(texts, train) if encoder == "tfidf" else _vectors(texts)
    scale = values[train].std(0)
    values = (values - values[train].mean(0)) / np.where(scale > 0, scale, 1.0)
    names = [f"{name} direction {k + 1}" for k in range(values.shape[1])]
    if absent.any() and values.shape[1]:
        values, names = np.column_stack([values, absent]), [*names, f"{name} missing"]
    return values.astype(np.float32), tuple(names)


def _tfidf(texts: pd.Series, train: np.ndarray) -> np.ndarray:
    vectorizer = TfidfVectorizer(min_df=2, max_features=20_000, sublinear_tf=True, token_pattern=PATTERN)
    try:
        fitted = vectorizer.fit_transform(texts.iloc[train])
    except ValueError:  # no word occurs twice
        return np.zeros((len(texts), 0))
    rank = min(50, fitted.shape[1] - 1, fitted.shape[0] - 1)
    if rank < 1:
        return np.zeros((len(texts), 0))
    svd = TruncatedSVD(rank, n_iter=4, random_state=0).fit(fitted)
    return svd.transform(vectorizer.transform(texts))


@cache
def word_vectors() -> tuple[dict[str, int], np.ndarray]:
    """(word -> row, (V, 50) float32): word2vec on news text, reduced to 50 directions; see the licence file."""
    with np.load(VECTORS, allow_pickle=False) as file:
        words, vectors = file["words"].item().decode(), file["vectors"].astype(np.float32)
    return {w: i for i, w in enumerate(words.split("\n"))}, vectors


def _vectors(texts: pd.Series) -> np.ndarray:
    """Mean vector of each text's known words; a text without any is zero."""
    index, vectors = word_vectors()
    words = texts.str.findall(PATTERN).explode()
    found = words.map(index).fillna(words.str.lower().map(index))
    known = found.notna().to_numpy()
    row = np.repeat(np.arange(len(texts)), texts.str.findall(PATTERN).str.len().clip(lower=1).to_numpy())[known]
    total = np.zeros((len(texts), vectors.shape[1]), np.float64)
    np.add.at(total, row, vectors[found.to_numpy()[known].astype(int)])
    count = np.bincount(row, minlength=len(texts))
    return total / np.maximum(count, 1)[:, None]
