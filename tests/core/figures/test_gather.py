from __future__ import annotations

import numpy as np
import pytest
from known_runs import make_history, make_run

from core.figures.gather import (
    by_setting,
    gather,
    joint_state,
    method_title,
    setting_words,
    split_index,
    spread_seeds,
)
from core.types import BadInput, History


def test_the_last_or_a_numbered_evaluation_is_taken():
    right = np.array([[[[50, 50], [50, 50]]], [[[80, 80], [80, 80]]]])
    runs, histories = [make_run(0)], {"c": make_history(right)}
    assert gather(runs, histories, "val", "last", 2, 2).counts[0, 0, 0, 0] == 80
    assert gather(runs, histories, "val", 0, 2, 2).counts[0, 0, 0, 0] == 50
    assert gather(runs, histories, "test", 99, 2, 2).counts[0, 0, 0, 0] == 70
    assert gather(runs, histories, "val", 0, 2, 2).iteration.tolist() == [50]


def test_a_run_before_its_first_evaluation_is_undefined():
    runs = [make_run(0, state="queued"), make_run(0, cohort="later", state="running")]
    empty = History(np.zeros(0, int), np.zeros((0, 3, 1, 2, 2, 2)), np.zeros((0, 3, 1, 2, 2)), np.zeros(1, np.int8),
                    np.zeros(1, int), np.zeros((3, 2, 2)), np.zeros((3, 2, 2)))
    found = gather(runs, {"c": empty}, "test", "last", 2, 2)
    assert np.isnan(found.counts).all() and found.iteration.tolist() == [-1, -1]
    assert found.state == ["queued", "running"]


def test_the_history_knows_the_state_of_a_live_run_better_than_its_record():
    runs = [make_run(0, state="running")]
    assert gather(runs, {"c": make_history(np.full((1, 1, 2, 2), 50))}, "val", "last", 2, 2).state == ["finished"]


def test_runs_that_differ_by_seed_alone_are_one_setting():
    runs = [make_run(0, seed=0, eta=1), make_run(1, seed=1, eta=1), make_run(2, seed=0, eta=2)]
    settings = by_setting(runs)
    assert list(settings.values()) == [[0, 1], [2]]
    packed = spread_seeds(np.array([1.0, 2.0, 3.0]), settings)
    assert np.array_equal(packed, [[1, 2], [3, np.nan]], equal_nan=True)


def test_settings_are_told_in_words_where_they_differ(methods):
    runs = [make_run(0, "group_dro", eta=0.01, lr=0.001), make_run(1, "group_dro", eta=0.1, lr=0.001),
            make_run(2, lr=0.001)]
    assert list(setting_words(runs, methods).values()) == ["η = 0.01", "η = 0.1", "default settings"]
    assert list(setting_words(runs[1:], methods).values()) == ["η = 0.1", "default settings"]
    assert list(setting_words(runs[:1], methods).values()) == ["default settings"]
    runs = [make_run(0, lr=0.001), make_run(1, lr=0.01)]
    assert list(setting_words(runs, {}).values()) == ["learning rate = 0.001", "learning rate = 0.01"]


def test_a_saved_rule_is_told_by_its_note(methods):
    run = make_run(0, parent="c9", note="demographic parity gap under 0.02")
    assert list(setting_words([run], methods).values()) == ["demographic parity gap under 0.02"]


def test_titles_fall_back_to_the_name_in_words(methods):
    assert method_title("group_dro", methods) == "Group DRO" and method_title("cvar_dro", {}) == "Cvar dro"


def test_a_setting_is_live_while_any_of_its_runs_is():
    assert joint_state(["finished", "running"]) == "running"
    assert joint_state(["finished", "diverged"]) == "finished" and joint_state(["diverged"]) == "diverged"


def test_an_unknown_split_is_refused():
    assert split_index("test") == 2
    with pytest.raises(BadInput, match="Split"):
        split_index("holdout")
