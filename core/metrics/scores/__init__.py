"""Metrics on scores: ranking, probabilities and how scores are spread, by group and bootstrap world."""
