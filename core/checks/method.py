"""What every method must satisfy. Each check takes a Method and raises AssertionError with a message that teaches.

The registry is walked by a test; a new method passes all of them or is not a method. The checks train a small task for
a few iterations through the real engine, so they see what a person would get.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch

from core import registry
from core.engine.plan import Cohort, plan_cohorts
from core.engine.result import Outcome
from core.engine.train import train_cohort
from core.types import BadInput, Budget, Method, MethodSpec, Param, Splits, Task, TrainSpec

BUDGET = Budget(iterations=24, evaluations=3, batch_size=32, lr=(0.01,), weight_decay=(1e-3,))
Check = Callable[[Method], None]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Register a check under its name without "check_"."""
    CHECKS[function.__name__.removeprefix("check_")] = function
    return function


@cache
def toy(seed: int = 0, n: int = 400) -> Task:
    """Two classes, two attribute groups, a core feature and a spurious one; every subgroup in every split."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    attr = np.where(rng.random(n) < 0.75, y, 1 - y)
    x = rng.normal(size=(n, 5))
    x[:, 0] += 2.5 * y
    x[:, 1] += 2.0 * attr
    rows = rng.permutation(n)
    splits = Splits(*(np.sort(p) for p in np.split(rows, [int(0.6 * n), int(0.8 * n)])))
    half = len(splits.val) // 2
    return Task(
        name="toy", title="Toy", x=x.astype(np.float32), y=y, attr=attr, w=np.ones(n, np.float32),
        classes=("no", "yes"), attr_labels=("a", "b"), reference=0, splits=splits,
        val_fit=splits.val[:half], val_select=splits.val[half:],
        feature_names=tuple("abcde"), image_shape=None, fingerprint=f"toy-{seed}-{n}",
    )  # fmt: skip


def plan(method: Method, settings: Mapping[str, tuple] | None = None, seeds=(0,), budget: Budget = BUDGET) -> Cohort:
    """One cohort of small networks."""
    spec = TrainSpec((MethodSpec(method.name, settings or {}),), "mlp", {"hidden": 8}, tuple(seeds), budget)
    return plan_cohorts(spec, {method.name: method}, registry.net("mlp"))[0]


def train(method: Method, task: Task, settings: Mapping[str, tuple] | None = None, seeds=(0,), **changes) -> Outcome:
    """Train through the engine."""
    return train_cohort(task, plan(method, settings, seeds, **changes), method, registry.net("mlp"))


def other_value(param: Param) -> Any:
    """A second value of a setting that is allowed and not the default."""
    if param.choices:
        return next((c for c in param.choices if c != param.default), param.default)
    low, high = max(param.low, 1e-6), min(param.high, 1e6)
    middle = (low * high) ** 0.5 if param.log else (low + high) / 2
    value = param.check(round(middle) if isinstance(param.default, int) else middle)
    return value if value != param.default else param.check(param.low)


@check
def check_metadata(method: Method) -> None:
    """Everything a person reads is filled in."""
    for field in ("title", "summary", "source", "equation", "known_failures"):
        assert getattr(method, field).strip(), f"{method.name}: fill in `{field}`; people read it in the picker"
    assert method.summary.endswith("."), f"{method.name}: `summary` is one plain sentence with a full stop"
    known = {"attr_train", "attr_val", "attr_test", "fit_val", "scores_only", "binary"}
    assert method.needs <= known, f"{method.name}: unknown needs {sorted(method.needs - known)}"
    for p in method.params:
        assert p.help.strip() and p.title.strip(), f"{method.name}.{p.name}: every setting has a title and a help text"
        assert p.stage in ("train", "prepare", "between", "decide"), f"{method.name}.{p.name}: unknown stage {p.stage}"
    names = [p.name for p in method.params]
    assert len(set(names)) == len(names), f"{method.name}: a setting's name occurs twice"
    if "first" in names:
        assert method.param("first").static, f"{method.name}.first cuts the iterations, so it must be static"


@check
def check_defaults_are_allowed(method: Method) -> None:
    """Each default passes its own validation."""
    for p in method.params:
        assert p.check(p.default) == p.default, f"{method.name}.{p.name}: the default is outside its own range"


@check
def check_invalid_values_are_refused(method: Method) -> None:
    """Values outside the range, of another type or not finite raise BadInput."""
    for p in method.params:
        bad = ["no such choice"] if p.choices else [p.high * 2 + 1, p.low - 1, float("nan"), "0.5"]
        for value in bad:
            try:
                p.check(value)
            except BadInput:
                continue
            raise AssertionError(f"{method.name}.{p.name} accepted {value!r}")


@check
def check_trains_to_finite_numbers(method: Method) -> None:
    """Scores and losses are finite and every run finishes."""
    outcome = train(method, toy())
    assert np.isfinite(outcome.tested.score).all(), f"{method.name}: scores are not finite after 24 iterations"
    assert np.isfinite(outcome.history.loss).all(), f"{method.name}: losses are not finite"
    assert ((outcome.tested.score >= 0) & (outcome.tested.score <= 1)).all(), f"{method.name}: scores are probabilities"


@check
def check_stacked_equals_a_loop(method: Method) -> None:
    """Two seeds and two values of a stacked setting together give what each gives alone; another run's do not."""
    moving = [p for p in method.params if p.is_number and not p.static and p.stage != "decide"]
    settings = {p.name: (p.default, other_value(p)) for p in moving[:1]}
    together = train(method, toy(), settings, seeds=(0, 1))
    cohort = plan(method, settings, seeds=(0, 1))
    for position in range(cohort.n_runs):
        own, seed = cohort.run(position)
        alone = train(method, toy(), {k: (own[k],) for k in settings}, seeds=(seed,))
        gap = np.abs(alone.tested.score[0] - together.tested.score[position]).max()
        assert gap < 2e-3, f"{method.name}: run {position} differs by {gap:.2g} from the same run trained alone"
    if method.name != "class_weighted_logistic" and method.stacked:
        apart = np.abs(together.tested.score[0] - together.tested.score[-1]).max()
        assert apart > 2e-3, f"{method.name}: different runs gave the same scores, so the comparison proves nothing"


@check
def check_same_seed_same_result(method: Method) -> None:
    """Two trainings of the same plan agree to the last bit, and leave the global generators alone."""
    torch_state, numpy_state = torch.get_rng_state(), np.random.get_state(legacy=False)["state"]["key"].copy()
    one, two = (train(method, toy(), seeds=(3,)) for _ in range(2))
    assert np.array_equal(one.tested.score, two.tested.score), f"{method.name}: the same seed gave other scores"
    assert torch.equal(torch_state, torch.get_rng_state()), f"{method.name}: torch's global generator was used"
    untouched = (np.random.get_state(legacy=False)["state"]["key"] == numpy_state).all()
    assert untouched, f"{method.name}: NumPy's global generator was used"


@check
def check_inputs_are_not_mutated(method: Method) -> None:
    """The task's arrays are as before."""
    task = toy.__wrapped__()  # a fresh one: the cached task serves the other checks
    before = {k: getattr(task, k).copy() for k in ("x", "y", "attr", "w")}
    train(method, task)
    for name, array in before.items():
        assert np.array_equal(array, getattr(task, name)), f"{method.name}: it changed task.{name} in place"


@check
def check_relabelling_groups_only_relabels(method: Method) -> None:
    """Swapping the codes of the attribute groups gives nearly the same model (random draws may differ a little)."""
    task = toy()
    swapped = replace(task, attr=1 - task.attr, fingerprint="toy-swapped")
    one, two = (train(method, t, budget=replace(BUDGET, iterations=60)) for t in (task, swapped))
    alike = np.corrcoef(one.tested.score[0], two.tested.score[0])[0, 1]
    assert alike > 0.9, f"{method.name}: relabelling the groups changed the scores (correlation {alike:.2f})"


@check
def check_an_empty_group_stays_finite(method: Method) -> None:
    """A third group without any row, and batches that hold a single class or group, break nothing."""
    task = replace(toy(), attr_labels=("a", "b", "c"), fingerprint="toy-empty")
    outcome = train(method, task, budget=replace(BUDGET, batch_size=2))
    finite = np.isfinite(outcome.tested.score).all()
    assert finite, f"{method.name}: an empty group or a tiny batch made scores undefined"


@check
def check_both_ends_of_every_setting_work(method: Method) -> None:
    """Lowest and highest value (all choices of words) train to finite scores."""
    for p in method.params:
        ends = p.choices if p.choices else (p.low, min(p.high, 200) if p.name in ("trees", "leaves") else p.high)
        for value in ends:
            outcome = train(method, toy(), {p.name: (p.check(value),)}, budget=replace(BUDGET, iterations=12))
            good = np.isfinite(outcome.tested.score).all()
            assert good, f"{method.name}: {p.name} = {value} gave scores that are not finite"


@check
def check_declared_limits_hold(method: Method) -> None:
    """At its limit settings the method equals the other method."""
    for settings, name, others in method.limits:
        mine = train(method, toy(), {k: (v,) for k, v in settings.items()}, seeds=(0, 1))
        theirs = train(registry.method(name), toy(), {k: (v,) for k, v in others.items()}, seeds=(0, 1))
        gap = np.abs(mine.tested.score - theirs.tested.score).max()
        assert gap < 1e-3, f"{method.name} at {dict(settings)} differs from {name} by {gap:.2g}"


@check
def check_learns_a_toy_above_chance(method: Method) -> None:
    """With 200 iterations it beats the larger class share clearly."""
    task = toy(n=800)
    outcome = train(method, task, budget=replace(BUDGET, iterations=200))
    right = (outcome.tested.score[0] >= outcome.tested.thresholds[0][outcome.tested.attr]) == outcome.tested.y
    assert right.mean() > 0.7, f"{method.name}: accuracy {right.mean():.2f} on a task that is learnable to 0.9"


@check
def check_needs_are_honest(method: Method) -> None:
    """Columns that a method does not declare have no influence on it."""
    task, rng = toy(), np.random.default_rng(5)
    base = train(method, task)
    for need, part in (("attr_train", "train"), ("attr_val", "val"), ("attr_test", "test")):
        rows = getattr(task.splits, part)
        if need in method.needs:
            continue
        attr = task.attr.copy()
        attr[rows] = rng.permutation(attr[rows])
        other = train(method, replace(task, attr=attr))
        same = np.array_equal(base.tested.score, other.tested.score)
        assert same, f"{method.name}: it does not declare {need!r}, but shuffling that column changed its scores"
