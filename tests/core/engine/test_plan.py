from __future__ import annotations

from dataclasses import replace

import pytest

from core import registry
from core.engine.plan import check_budget, check_task, evaluation_steps, plan_cohorts, run_key
from core.types import BadInput, Budget, Method, MethodSpec, Param, TrainSpec

NET = registry.net("mlp")
DIAL = Method(
    name="dial", title="Dial", family="robust", summary="s", source="s",
    params=(
        Param("eta", 0.1, 0.0, 1.0), Param("kind", "a", choices=("a", "b"), static=True),
        Param("bound", 0.1, 0.0, 1.0, stage="decide"),
    ),
)  # fmt: skip


def plan(**settings):
    spec = TrainSpec(methods=(MethodSpec("dial", settings),), seeds=(0, 1), budget=Budget(lr=(0.1, 0.01)))
    return plan_cohorts(spec, {"dial": DIAL}, NET)


def test_numbers_are_stacked_and_static_settings_open_cohorts():
    cohorts = plan(eta=(0.1, 0.2, 0.3), kind=("a", "b"))
    assert [c.settings[0]["kind"] for c in cohorts] == ["a", "b"]
    assert [c.n_models for c in cohorts] == [12, 12]  # 2 seeds x 3 eta x 2 learning rates


def test_decisions_multiply_runs_but_not_trained_models():
    (cohort,) = plan(bound=(0.0, 0.05, 0.1))
    assert (cohort.n_models, cohort.n_runs) == (4, 12)
    assert cohort.run(1)[0]["bound"] == 0.05 and cohort.run(1)[1] == 0
    assert cohort.run(3)[0] == {"eta": 0.1, "kind": "a", "lr": 0.01, "weight_decay": 1e-4, "bound": 0.0}
    assert cohort.run(6)[1] == 1


def test_looped_methods_stay_in_one_cohort_and_have_no_learning_rate():
    looped = replace(DIAL, fit=lambda *a: None)
    spec = TrainSpec(methods=(MethodSpec("dial", {"kind": ("a", "b")}),), budget=Budget(lr=(0.1, 0.01)))
    (cohort,) = plan_cohorts(spec, {"dial": looped}, NET)
    assert cohort.n_models == 6 and "lr" not in cohort.settings[0] and cohort.net == "none"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (TrainSpec(methods=()), "Methods"),
        (TrainSpec(methods=(MethodSpec("nope"),)), "'nope'"),
        (TrainSpec(methods=(MethodSpec("dial", {"zeta": (1,)}),)), "'zeta'"),
        (TrainSpec(methods=(MethodSpec("dial", {"eta": (2.0,)}),)), "found 2, allowed is a number from 0 to 1"),
        (TrainSpec(methods=(MethodSpec("dial", {"eta": (float("nan"),)}),)), "nan"),
        (TrainSpec(methods=(MethodSpec("dial"),), seeds=()), "Seeds"),
        (TrainSpec(methods=(MethodSpec("dial"), MethodSpec("dial"))), "'dial' more than once"),
        (TrainSpec(methods=(MethodSpec("dial"),), precision="float8"), "Precision"),
        (TrainSpec(methods=(MethodSpec("dial"),), net_settings={"hidden": 1}), "Hidden units"),
        (TrainSpec(methods=(MethodSpec("dial"),), net_settings={"no": 1}), "'no'"),
        (TrainSpec(methods=(MethodSpec("dial"),), budget=Budget(iterations=0)), "Iterations"),
        (TrainSpec(methods=(MethodSpec("dial"),), budget=Budget(lr=())), "Learning rate"),
        (TrainSpec(methods=(MethodSpec("dial"),), seeds=tuple(range(5000))), "Number of runs"),
    ],
)
def test_bad_plans_are_refused_in_one_sentence(spec, words):
    with pytest.raises(BadInput, match=None) as caught:
        plan_cohorts(spec, {"dial": DIAL}, NET)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_evaluations_are_spread_evenly_and_end_with_the_last_iteration():
    assert evaluation_steps(Budget(iterations=100, evaluations=4)) == (25, 50, 75, 100)
    assert evaluation_steps(Budget(iterations=3, evaluations=20)) == (1, 2, 3)
    assert check_budget(Budget()) == Budget()


def test_run_keys_tell_work_apart_and_nothing_else():
    (cohort,) = plan(bound=(0.0, 0.1))
    keys = [run_key("task", cohort, r) for r in range(cohort.n_runs)]
    assert len(set(keys)) == cohort.n_runs
    assert keys == [run_key("task", cohort, r) for r in range(cohort.n_runs)]
    assert keys[0] != run_key("other task", cohort, 0)
    longer = replace(cohort, budget=replace(cohort.budget, iterations=7))
    assert keys[0] != run_key("task", longer, 0)


def test_methods_and_architectures_that_cannot_work_on_the_task_are_refused(task, erm):
    with pytest.raises(BadInput, match="two classes"):
        check_task(replace(task, classes=("a", "b", "c")), replace(erm, needs=frozenset({"binary"})), NET)
    with pytest.raises(BadInput, match="images"):
        check_task(task, erm, registry.net("cnn"))
