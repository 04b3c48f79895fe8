from __future__ import annotations

from core.types import Budget, DataSpec, MethodSpec, StudySpec, TrainSpec


def test_a_study_without_confirmed_roles_says_so_and_defaults_are_the_documented_ones():
    study = StudySpec("s", DataSpec("builtin", "adult"))
    assert study.roles is None and study.trainings == ()
    training = TrainSpec(methods=(MethodSpec("erm"),))
    assert training.seeds == (0, 1, 2) and training.net == "mlp" and training.budget == Budget()
