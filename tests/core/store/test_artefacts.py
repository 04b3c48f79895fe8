from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.checks.store import example_history, example_scores, same_arrays
from core.store.artefacts import (
    cohort_folder,
    load_history,
    load_scores,
    load_tensors,
    save_history,
    save_scores,
    save_tensors,
    write_whole,
)
from core.store.base import StoreError


@pytest.mark.parametrize("name", ["..", "a/b", "", "a\0", "a.b", "x" * 200, "é", "a\\b"])
def test_names_that_leave_the_folder_are_refused(home, name):
    for study, cohort in ((name, ""), ("study", name)):
        if study and (cohort or name == study):
            with pytest.raises(StoreError, match="^Id: "):
                cohort_folder(home, study, cohort)


def test_a_cohort_lies_below_its_study(home):
    assert cohort_folder(home, "aB-_9", "c-0") == home / "artefacts" / "aB-_9" / "c-0"


def test_a_failed_write_keeps_the_old_file_and_leaves_no_rest(home):
    save_history(home, example_history(seed=1))

    def broken(part):
        part.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match="No space left on device"):
        write_whole(home / "history.safetensors", broken)
    assert same_arrays(load_history(home), example_history(seed=1))
    assert [p.name for p in home.iterdir()] == ["history.safetensors"]


def test_several_classes_come_back_too(home):
    scores = example_scores()
    many = replace(scores, score=np.stack([scores.score] * 3, -1), thresholds=np.full((3, 2), np.nan))
    save_scores(home, "test", many)
    assert same_arrays(load_scores(home, "test"), many)
    assert load_scores(home, "test", [1]).score.shape == (1, 7, 3)
    assert load_scores(home, "test", []).score.shape == (0, 7, 3)


def test_transposed_arrays_are_stored_as_they_look(home):
    scores = example_scores()
    turned = replace(scores, score=np.asfortranarray(scores.score), y=np.arange(14)[::2])
    save_scores(home, "val", turned)
    assert same_arrays(load_scores(home, "val"), turned)


def test_one_run_of_many_is_read_without_the_others(home, monkeypatch):
    save_scores(home, "val", example_scores(256, 50))
    import core.store.artefacts as artefacts

    read, opened = [], artefacts.safe_open

    class Watched:
        def __init__(self, path, framework):
            self.file = opened(path, framework)

        def __enter__(self):
            return self

        def __exit__(self, *rest):
            return None

        def get_tensor(self, name):
            read.append(name)
            return self.file.get_tensor(name)

        def get_slice(self, name):
            return self.file.get_slice(name)

    monkeypatch.setattr(artefacts, "safe_open", Watched)
    assert np.array_equal(load_scores(home, "val", [200]).score, example_scores(256, 50).score[200:201])
    assert set(read) == {"y", "attr", "w", "rows"}


@pytest.mark.parametrize("position", [-1, 3])
def test_a_position_outside_the_cohort_is_told(home, position):
    save_scores(home, "val", example_scores())
    with pytest.raises(StoreError, match="Run: found position"):
        load_scores(home, "val", [position])


@pytest.mark.parametrize("content", [b"", b"x" * 500, b"\xff" * 8 + b"{}", b"\x02\0\0\0\0\0\0\0{}"])
def test_a_damaged_file_is_one_sentence(home, content):
    for name in ("history", "val", "weights"):
        (home / f"{name}.safetensors").write_bytes(content)
    for load in (lambda: load_history(home), lambda: load_scores(home, "val"), lambda: load_scores(home, "val", [0])):
        with pytest.raises(StoreError, match="damaged file") as told:
            load()
        assert "\n" not in str(told.value)
    if content[:1] != b"\x02":
        with pytest.raises(StoreError, match="damaged file"):
            load_tensors(home, "weights")


def test_a_file_cut_short_is_one_sentence(home):
    save_history(home, example_history())
    whole = (home / "history.safetensors").read_bytes()
    for length in (len(whole) - 1, len(whole) // 2, 9):
        (home / "history.safetensors").write_bytes(whole[:length])
        with pytest.raises(StoreError, match="damaged file"):
            load_history(home)


def test_arrays_that_do_not_fit_each_other_are_damage(home):
    save_history(home, replace(example_history(), state=np.zeros(9, np.int8)))
    save_scores(home, "val", replace(example_scores(), y=np.zeros(3, np.int64)))
    with pytest.raises(StoreError, match="state has another shape"):
        load_history(home)
    with pytest.raises(StoreError, match="do not fit"):
        load_scores(home, "val")


def test_training_scores_are_not_kept(home):
    with pytest.raises(StoreError, match="^Split: "):
        save_scores(home, "train", example_scores())


def test_tensors_that_share_memory_are_stored_apart(home):
    base = torch.arange(4.0)
    save_tensors(home, "weights", {"a": base, "b": base[1:], "c": base.view(2, 2).T})
    found = load_tensors(home, "weights")
    assert torch.equal(found["b"], base[1:]) and torch.equal(found["c"], base.view(2, 2).T)
    assert load_tensors(home, "checkpoint") is None
