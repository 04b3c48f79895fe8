from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from core import registry
from core.checks.metric import CHECKS, failures
from core.types import Metric

METRICS = registry.metrics("")


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", METRICS)
def test_metric(name, check):
    CHECKS[check](METRICS[name])


def _zero_for_undefined(counts: np.ndarray) -> np.ndarray:
    total = counts.sum((-2, -1))
    return np.where(total > 0, (counts[..., 0, 0] + counts[..., 1, 1]) / np.where(total > 0, total, 1), 0.0)


def test_a_metric_that_turns_undefined_into_zero_is_caught():
    wrong = dataclasses.replace(METRICS["accuracy"], of=_zero_for_undefined, binary=True)
    assert any("undefined_is_nan: 0/0 must be NaN" in found for found in failures(wrong))


def test_a_metric_with_the_wrong_direction_or_bounds_is_caught():
    wrong = dataclasses.replace(METRICS["tpr"], higher_is_better=False)
    assert any("perfect_and_inverted" in found for found in failures(wrong))
    wrong = dataclasses.replace(METRICS["tpr"], bounds=(0.0, 0.5))
    assert any("bounds" in found for found in failures(wrong))


def test_a_metric_that_counts_rows_instead_of_shares_is_caught():
    wrong: Metric = dataclasses.replace(METRICS["accuracy"], of=lambda c: c[..., 0, 0], help="No sentence")
    found = " ".join(failures(wrong))
    assert "duplicated_rows" in found and "words" in found


def test_all_shipped_metrics_pass():
    assert [f for m in METRICS.values() for f in failures(m)] == []


def _own_average(scored) -> np.ndarray:
    """Forgets the weights."""
    member = scored.group == np.arange(scored.n_groups)[:, None]
    return np.broadcast_to((member * scored.score).sum(-1) / np.maximum(member.sum(-1), 1),
                           (*scored.w.shape[:-1], scored.n_groups))


def test_a_metric_on_scores_that_forgets_weights_or_turns_undefined_into_zero_is_caught():
    found = " ".join(failures(dataclasses.replace(METRICS["mean_score"], of=_own_average)))
    assert "weights_are_repeated_rows" in found and "undefined_is_nan" in found


def test_a_metric_on_moments_that_sums_instead_of_averaging_is_caught():
    found = " ".join(failures(dataclasses.replace(METRICS["mae"], of=lambda moments: moments[..., 8])))
    assert "duplicated_rows" in found


def test_every_kind_is_among_the_shipped_metrics():
    assert {m.on for m in METRICS.values()} == {"counts", "scores", "moments"}
