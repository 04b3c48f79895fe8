"""What every method must satisfy. Each check takes a Method and raises AssertionError with a message that teaches.

The registry is walked by a test; a new method passes all of them or is not a method. Some checks call a method's hooks
directly; the others train a small task for a few iterations through the real engine, so they see what a person would
get. No check asks for a method's name.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.func import grad, vmap

from core import registry
from core.engine.plan import Cohort, plan_cohorts
from core.engine.result import Outcome
from core.engine.stack import erm_loss
from core.engine.stages import call_between, wants_model
from core.engine.train import train_cohort
from core.types import BadInput, Batch, Budget, Info, Method, MethodSpec, Param, Rows, Splits, Task, TrainSpec

BUDGET = Budget(iterations=24, evaluations=3, batch_size=32, lr=(0.01,), weight_decay=(1e-3,))
SECTIONS = ("Reference:", ">>> ")
Check = Callable[[Method], None]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Register a check under its name without "check_"."""
    CHECKS[function.__name__.removeprefix("check_")] = function
    return function


@cache
def toy(seed: int = 0, n: int = 400, classes: int = 2, weighted: bool = False) -> Task:
    """Classes, two attribute groups, a core feature and a spurious one; every subgroup in every split. Weighted: rows
    of the last class in the first group weigh a twentieth, as severe cases do in many surveys."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    attr = np.where(rng.random(n) < 0.75, y % 2, 1 - y % 2)
    x = rng.normal(size=(n, 5))
    x[:, 0] += 2.5 * y
    x[:, 1] += 2.0 * attr
    rows = rng.permutation(n)
    splits = Splits(*(np.sort(p) for p in np.split(rows, [int(0.6 * n), int(0.8 * n)])))
    half = len(splits.val) // 2
    w = rng.uniform(0.5, 1.5, n) * np.where((y == classes - 1) & (attr == 0), 0.05, 1.0) if weighted else np.ones(n)
    return Task(
        name="toy", title="Toy", x=x.astype(np.float32), y=y, attr=attr, w=(w / w.mean()).astype(np.float32),
        classes=("no", "yes", "maybe")[:classes], attr_labels=("a", "b"), reference=0, splits=splits,
        val_fit=splits.val[:half], val_select=splits.val[half:], feature_names=tuple("abcde"), image_shape=None,
        fingerprint=f"toy-{seed}-{n}-{classes}-{weighted}", weighted=weighted,
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


def a_batch(method: Method, task: Task, size: int = 32) -> Batch:
    """The first training rows as one mini-batch; attribute groups hidden unless the method declares them."""
    rows = task.splits.train[:size]
    y = torch.from_numpy(task.y[rows])
    attr = torch.from_numpy(task.attr[rows]) if "attr_train" in method.needs else torch.zeros_like(y)
    t, a = torch.eye(task.n_classes)[y], torch.eye(task.n_attrs)[attr]
    s = torch.eye(task.n_classes * task.n_attrs)[y * task.n_attrs + attr]
    return Batch(torch.from_numpy(task.x[rows]), y, t, a, s, torch.from_numpy(task.w[rows]), torch.arange(len(rows)))


def a_model(method: Method, task: Task, k: int) -> tuple[dict, dict, dict, dict]:
    """(weights, state, numbers, words) of the k-th of several models that differ in weights and numeric settings."""
    net, gen = registry.net("mlp"), torch.Generator().manual_seed(k)
    weights = net.init(gen, task.x.shape[1], task.n_classes, {"hidden": 8, "depth": 1}, None)
    settings = {p.name: other_value(p) if k % 2 and p.is_number else p.default for p in method.params}
    cells = np.bincount(task.subgroup[task.splits.train], minlength=task.n_classes * task.n_attrs)
    counts = torch.from_numpy(cells).float()
    grid = counts.view(task.n_classes, task.n_attrs)
    info = Info(int(cells.sum()), task.x.shape[1], task.n_classes, task.n_attrs, 8, 32, 24, grid.sum(1), grid.sum(0),
                counts)  # fmt: skip
    extra, state = method.init(info, settings, gen) if method.init else ({}, {})
    if wants_model(method):  # stage two may start from other weights and bring constants
        scores = np.full((len(task.y), task.n_classes), 1.0 / task.n_classes)
        stage = call_between(method, task, scores, settings, np.random.default_rng(k), net, weights)
        weights, state = stage.weights or weights, state | (stage.state or {})
    numbers = {p.name: torch.tensor(float(settings[p.name])) for p in method.params if p.is_number and not p.static}
    words = {n: v for n, v in settings.items() if n not in numbers} | {"_stage": torch.tensor(2.0)}
    return weights | extra, state, numbers, words


def gradients(method: Method, words: Mapping[str, Any]) -> Callable:
    """(weights, state, batch, numbers) -> (gradients, new state) of one model, as pure functions for vmap."""
    net, loss = registry.net("mlp"), method.loss or erm_loss
    if method.step is not None:
        return lambda w, s, b, hp: method.step(net, loss, w, s, b, {**words, **hp})  # type: ignore[misc]
    return grad(lambda w, s, b, hp: loss(net, w, s, b, {**words, **hp}), has_aux=True)


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
def check_docstring(method: Method) -> None:
    """The folder is the family, the file is the name, and its docstring explains the method in the agreed order."""
    module = importlib.import_module(f"core.methods.{method.family}.{method.name}")
    text = module.__doc__ or ""
    for section in SECTIONS:
        assert section in text, f"{method.name}: the docstring lacks {section!r}; see CONTRIBUTING for its order"
    formula = [line for line in text.splitlines()[1:6] if line.startswith("    ")]
    assert formula, f"{method.name}: the equation, indented, follows the first sentence of the docstring"
    own = [p.name for p in method.params if vars(module).get("METHOD") is method and f"`{p.name}`" not in text]
    assert not own, f"{method.name}: put symbol and setting side by side in the docstring: {own}"


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
def check_loss_is_a_finite_number_and_state_keeps_its_form(method: Method) -> None:
    """One call of the loss: a 0-d tensor; the state comes back with the same names, shapes and dtypes, unchanged."""
    weights, state, numbers, words = a_model(method, toy(), 0)
    before = {k: v.clone() for k, v in state.items()}
    loss = method.loss or erm_loss
    value, new = loss(registry.net("mlp"), weights, state, a_batch(method, toy()), {**words, **numbers})
    assert value.shape == (), f"{method.name}: the loss has shape {tuple(value.shape)}; average it to one number"
    assert torch.isfinite(value), f"{method.name}: the loss is {float(value)}"
    form, kept = ({k: (v.shape, v.dtype) for k, v in s.items()} for s in (state, new))
    assert form == kept, f"{method.name}: the state went in as {form} and came out as {kept}"
    for name, tensor in before.items():
        assert torch.equal(tensor, state[name]), f"{method.name}: it changed state[{name!r}] in place; return a new one"


@check
def check_stacked_gradients_equal_single_ones(method: Method) -> None:
    """vmap over three models gives each the gradients and state that it gets alone; another model's differ."""
    batch, models = a_batch(method, toy()), [a_model(method, toy(), k) for k in range(3)]
    own = gradients(method, models[0][3])
    alone = [own(w, s, batch, hp) for w, s, hp, _ in models]
    parts = [{k: torch.stack([m[j][k] for m in models]) for k in models[0][j]} for j in range(3)]
    stacked = vmap(own, in_dims=(0, 0, None, 0))(parts[0], parts[1], batch, parts[2])
    for name in parts[0]:
        for r, (grads, _) in enumerate(alone):
            gap = (stacked[0][name][r] - grads[name]).abs().max()
            assert gap < 1e-5, f"{method.name}: gradient of {name} differs by {gap:.2g} from that of the model alone"
    for name in parts[1]:
        for r, (_, state) in enumerate(alone):
            same = torch.allclose(stacked[1][name][r], state[name], atol=1e-6)
            assert same, f"{method.name}: state[{name!r}] of stacked models differs from that of the model alone"
    apart = max((alone[0][0][name] - alone[1][0][name]).abs().max() for name in parts[0])
    assert apart > 1e-5, f"{method.name}: two different models have the same gradient, so the comparison proves nothing"


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
        assert gap < 1e-4, f"{method.name}: run {position} differs by {gap:.2g} from the same run trained alone"
    if method.stacked:
        apart = np.abs(together.tested.score[0] - together.tested.score[-1]).max()
        assert apart > 2e-3, f"{method.name}: different runs gave the same scores, so the comparison proves nothing"


@check
def check_same_seed_same_result(method: Method) -> None:
    """Two trainings of the same plan agree to the last bit, and leave the global generators alone."""
    before = [torch.get_rng_state().tolist(), repr(np.random.get_state(legacy=False)), random.getstate()]
    one, two = (train(method, toy(), seeds=(3,)) for _ in range(2))
    assert np.array_equal(one.tested.score, two.tested.score), f"{method.name}: the same seed gave other scores"
    after = [torch.get_rng_state().tolist(), repr(np.random.get_state(legacy=False)), random.getstate()]
    for name, was, now in zip(("torch", "NumPy", "Python"), before, after, strict=True):
        assert was == now, f"{method.name}: the global generator of {name} was used; draw from the one passed in"


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
    assert alike > 0.97, f"{method.name}: relabelling the groups changed the scores (correlation {alike:.2f})"


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
        for value in p.choices or (p.low, p.high):
            outcome = train(method, toy(), {p.name: (p.check(value),)}, budget=replace(BUDGET, iterations=12))
            good = np.isfinite(outcome.tested.score).all()
            assert good, f"{method.name}: {p.name} = {value} gave scores that are not finite"


@check
def check_declared_limits_hold(method: Method) -> None:
    """At its limit settings the method equals the other method, on data with weights too."""
    for settings, name, others in method.limits:
        for task in (toy(), toy(weighted=True)):
            mine = train(method, task, {k: (v,) for k, v in settings.items()}, seeds=(0, 1))
            theirs = train(registry.method(name), task, {k: (v,) for k, v in others.items()}, seeds=(0, 1))
            gap = np.abs(mine.tested.score - theirs.tested.score).max()
            data = "weighted data" if task.weighted else "data"
            assert gap < 1e-4, f"{method.name} at {dict(settings)} differs from {name} by {gap:.2g} on {data}"


@check
def check_row_weights_keep_the_mean(method: Method) -> None:
    """Loss weights times data weights have mean 1 over what is drawn, else learning rate and decay change silently."""
    task, rng = toy(weighted=True), np.random.default_rng(0)
    hp = {p.name: p.default for p in method.params}
    uniform = np.full((len(task.y), task.n_classes), 1.0 / task.n_classes)
    made = [(method.prepare(task, hp, rng), task.splits.train)] if method.prepare else []
    if method.between:
        weights = registry.net("mlp").init(torch.Generator().manual_seed(0), task.x.shape[1], task.n_classes,
                                           {"hidden": 8, "depth": 1}, None)  # fmt: skip
        rows = call_between(method, task, uniform, hp, rng, registry.net("mlp"), weights).rows
        made.append((rows, task.val_fit if "fit_val" in method.needs else task.splits.train))
    for rows, part in made:
        drawn = drawn_weights(task, rows, part)
        assert abs(drawn - 1) < 0.05, (
            f"{method.name}: on weighted data the mean loss weight is {drawn:.2f}; divide the row weights by "
            "np.average(weight, weights=data weights) (or use the helpers of core.methods._cells)"
        )


def drawn_weights(task: Task, rows: Rows, part: np.ndarray) -> float:
    """Expected loss weight (data weight times row weight) of a row drawn from `rows`."""
    w = task.w[part if rows.index is None else rows.index].astype(float)
    if rows.y is not None:
        w = np.concatenate([w, np.ones(len(rows.y))])
    return float(np.average(w * (1.0 if rows.weight is None else rows.weight), weights=rows.prob))


@check
def check_weights_of_the_data_count(method: Method) -> None:
    """A data set's own row weights change what is learned, and keep it finite."""
    task = toy(weighted=True)
    plain, weighted = train(method, replace(task, w=np.ones_like(task.w))), train(method, task)
    assert np.isfinite(weighted.tested.score).all(), f"{method.name}: scores are not finite on weighted data"
    gap = np.abs(plain.tested.score - weighted.tested.score).max()
    assert gap > 1e-3, f"{method.name}: it ignores the data's own weights (batch.w in a loss, rows.weight in fit)"


@check
def check_more_than_two_classes(method: Method) -> None:
    """Three classes train to finite scores, or the method declares "binary" and is refused with one sentence."""
    try:
        outcome = train(method, toy(classes=3))
    except BadInput:
        assert "binary" in method.needs, f"{method.name}: it refused three classes without declaring 'binary'"
        return
    assert "binary" not in method.needs, f"{method.name}: it declares 'binary', but trained on three classes"
    assert np.isfinite(outcome.tested.score).all(), f"{method.name}: three classes gave scores that are not finite"


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


@check
def check_held_out_labels_are_not_learned_from(method: Method) -> None:
    """Labels of test rows change no score; nor do those of validation rows unless "fit_val" is declared."""
    task = toy()
    base = train(method, task)
    for part in ("test",) if "fit_val" in method.needs else ("test", "val"):
        rows, y = getattr(task.splits, part), task.y.copy()
        y[rows] = 1 - y[rows]
        same = np.array_equal(base.tested.score, train(method, replace(task, y=y)).tested.score)
        assert same, f"{method.name}: other labels of {part} rows changed its scores, so it learned from them"
