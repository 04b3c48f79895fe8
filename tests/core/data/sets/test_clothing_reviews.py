from __future__ import annotations

import pytest

from core.data.sets.clothing_reviews import DATASET


def test_all_reviews_their_rate_and_age_bands(opened):
    reviews = opened(DATASET, rows=23_486)
    assert reviews.frame.shape == (23_486, 10)
    assert reviews.data.classes == ("recommended", "not recommended")
    assert reviews.data.y.sum() == 4_172 and reviews.data.y.mean() == pytest.approx(0.1776, abs=1e-4)
    assert reviews.sizes == {"age under 30": 2_931, "age 30–39": 7_702, "age 40–49": 6_127, "age 50–59": 3_948,
                             "age 60+": 2_778}  # fmt: skip


def test_missing_texts_and_departments_and_repeated_rows(opened):
    frame = opened(DATASET, rows=23_486).frame
    assert frame["review"].isna().sum() == 845 and frame["title"].isna().sum() == 3_810
    assert frame["department"].isna().sum() == 14 and (frame["department"] == "Trend").sum() == 119
    assert ((frame["age"] < 30) & frame["department"].isna()).sum() == 2
    assert frame.duplicated().sum() == 21


def test_a_sample_is_the_same_every_time_and_keeps_the_order(opened):
    small, again = opened(DATASET, rows=1_000), opened(DATASET, rows=1_000)
    assert small.data.fingerprint == again.data.fingerprint and len(small.frame) == 1_000
    assert len(opened(DATASET).frame) == 8_000
    assert "1,000 of 23,486 reviews" in small.table.notes[0]


def test_the_rating_nearly_gives_the_label_and_is_left_out(opened):
    reviews = opened(DATASET, rows=23_486)
    five = reviews.frame.loc[reviews.frame["rating"] == 5, "verdict"]
    assert (five == "recommended").mean() == pytest.approx(0.998, abs=5e-4)
    assert "rating" not in reviews.data.frame and "article" not in reviews.data.frame


def test_the_text_encoder_is_an_option(opened):
    assert opened(DATASET).data.roles.text_encoder == "tfidf"
    assert opened(DATASET, text_encoder="word vectors").data.roles.text_encoder == "word_vectors"
    assert opened(DATASET).data.roles.text == ("title", "review")
