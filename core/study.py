"""The study file: JSON that says what to load, how to split it and what to train. Read strictly, written in full.

A file of format "counterweight-study/1":

    {"format": "counterweight-study/1", "name": "Adult",
     "data": {"source": "builtin", "name": "adult", "options": {}},
     "roles": {"label": "income", "positive": ">50K", "attributes": ["sex"], "weight": null, "dropped": {}},
     "groups": {"attributes": [{"column": "age", "edges": [40]}], "min_rows": 0},
     "split": {"seed": 0, "train": 0.6, "val": 0.15, "test": 0.25},
     "trainings": [{"methods": [{"name": "group_dro", "settings": {"eta": {"low": 0.001, "high": 1, "points": 4}}}],
                    "model": {"net": "mlp", "hidden": 64, "depth": 1}, "seeds": [0, 1, 2],
                    "budget": {"iterations": 1000, "lr": [0.001]}, "device": "auto", "precision": "float32"}]}

For those who write it by hand: `data` may be the name of a built-in set or the path of a table; a method may be its
name alone; a setting may be one value, a list or a range; the parts of one training may stand at the top level instead
of `trainings`; roles and groups left out are a built-in set's own. "versions" and "fingerprints", which say what made
a file, are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from core import registry
from core.engine.plan import BUDGET_PARAMS, OPTIMIZER_PARAMS
from core.fields import Fields, at, decode, refuse_value, scalar
from core.types import (
    AttributeSpec,
    BadInput,
    Budget,
    DataSpec,
    GroupSpec,
    MethodSpec,
    Param,
    Roles,
    SplitSpec,
    StudySpec,
    TrainSpec,
)

FORMAT = "counterweight-study/1"
MAX_BYTES = 4_000_000
MADE_WITH = ("versions", "fingerprints")
TRAIN_FIELDS = ("methods", "model", "seeds", "budget", "device", "precision")
STUDY_FIELDS = ("format", "name", "data", "roles", "groups", "split", "trainings", *MADE_WITH)
OPTIMIZER = {p.name: p for p in OPTIMIZER_PARAMS}


# ---------------------------------------------------------------- reading


def read_study(content: bytes) -> StudySpec:
    """The study of a file's bytes (UTF-8 JSON, at most 4 MB). Raises BadInput, naming the field, for anything else."""
    return parse_study(decode(content, "Study file", MAX_BYTES))


def parse_study(obj: Mapping[str, Any]) -> StudySpec:
    """The study that a decoded file describes.

    Raises:
        BadInput: an unknown field, a wrong type, a range that does not suit its setting; names the dotted field.
    """
    top = Fields(obj, "", (*STUDY_FIELDS, *TRAIN_FIELDS))
    if top.text("format", FORMAT) != FORMAT:
        raise BadInput("format", repr(obj["format"]), repr(FORMAT), "export the study again with this version")
    data = _data(top)
    short = [name for name in TRAIN_FIELDS if top.has(name)]
    if short and top.has("trainings"):
        raise BadInput(short[0], "it beside trainings", "one of the two", "move it into trainings")
    trainings = [parse_train({name: obj[name] for name in short})] if short else [
        parse_train(given, where) for where, given in top.items("trainings", 1000)]  # fmt: skip
    roles = _roles(top.child("roles", ROLE_FIELDS)) if top.given("roles") else _own(top, data, "roles")
    return StudySpec(
        name=top.text("name", data.name or PurePath(data.path).name, limit=200, filled=True),
        data=data,
        roles=roles,
        groups=_groups(top, data, roles),
        split=_split(top.child("split", ("seed", "train", "val", "test"))),
        trainings=tuple(trainings),
    )


def parse_train(obj: Mapping[str, Any], where: str = "") -> TrainSpec:
    """One training: {"methods", "model", "seeds", "budget", "device", "precision"}; only methods are needed."""
    own = Fields(obj, where, TRAIN_FIELDS)
    if not own.has("methods"):
        raise BadInput(at(where, "methods"), "nothing", "a list of methods", 'add "methods": ["erm"]')
    model = own.child("model", None)
    seeds = own.many("seeds", _seed, (0, 1, 2))
    return TrainSpec(
        methods=tuple(_method(given, place) for place, given in own.items("methods", 500, wrap=True)),
        net=model.text("net", "mlp"),
        net_settings={k: scalar(v, at(model.where, k)) for k, v in model.obj.items() if k != "net"},
        seeds=seeds,
        budget=_budget(own.child("budget", BUDGET_FIELDS)),
        device=own.text("device", "auto"),
        precision=own.text("precision", "float32"),
    )


def _seed(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise refuse_value(value, where, "whole numbers from 0 to 2147483647", "use 0, 1, 2")
    return value


def _data(top: Fields) -> DataSpec:
    if not top.given("data"):
        raise BadInput("data", "nothing", "a built-in set or a table", 'add "data": "adult"')
    if isinstance(top.obj["data"], str):
        name = top.text("data", limit=4000)
        if name in registry.datasets():
            return DataSpec("builtin", name)
        return DataSpec("path", PurePath(name).name, path=name)
    own = top.child("data", ("source", "name", "options", "digest", "path"))
    source = own.text("source", "builtin")
    if source not in ("builtin", "upload", "path"):
        raise BadInput("data.source", repr(source), "builtin, upload or path", "use builtin for a set that ships")
    path = own.text("path", "", limit=4000)
    needed = {"builtin": "name", "upload": "digest", "path": "path"}[source]
    if not own.text(needed, "", limit=4000):
        raise BadInput(f"data.{needed}", "nothing", f"text, since the source is {source}", f"add data.{needed}")
    options = own.child("options", None)
    return DataSpec(
        source=source,
        name=own.text("name", PurePath(path).name, limit=400),
        options={k: scalar(v, at(options.where, k)) for k, v in options.obj.items()},
        digest=own.text("digest", ""),
        path=path,
    )


ROLE_FIELDS = ("label", "positive", "attributes", "attrs", "weight", "key", "text", "text_encoder", "dropped", "task",
               "threshold", "attributes_as_features")  # fmt: skip


def _roles(own: Fields) -> Roles:
    if own.has("attrs") and own.has("attributes"):
        raise BadInput(at(own.where, "attrs"), "it beside attributes", "one of the two", "remove attrs")
    if isinstance(own.obj.get("dropped"), list):
        dropped = {name: "dropped in the study file" for name in own.texts("dropped")}
    else:
        dropped = own.words("dropped")
    task = own.text("task", "binary")
    if task not in ("binary", "multiclass", "regression"):
        raise BadInput(at(own.where, "task"), repr(task), "binary, multiclass or regression", "use binary")
    return Roles(
        label=own.text("label", limit=1000, filled=True),
        positive=own.text("positive", None, limit=1000),
        attributes=own.texts("attrs" if own.has("attrs") else "attributes"),
        weight=own.text("weight", None, limit=1000),
        key=own.text("key", None, limit=1000),
        text=own.texts("text"),
        text_encoder=own.text("text_encoder", "tfidf"),
        dropped=dropped,
        task=task,
        threshold=own.number("threshold", None),
        attributes_as_features=own.flag("attributes_as_features", True),
    )


def _own(top: Fields, data: DataSpec, part: str) -> Any:
    """Roles or groups of a built-in set; None for other tables. An explicit null stays None."""
    if top.has(part) or data.source != "builtin":
        return None
    entry = registry.dataset(data.name)
    options = {p.name: p.check(data.options.get(p.name, p.default)) for p in entry.params}
    return getattr(entry, part)(options)


def _groups(top: Fields, data: DataSpec, roles: Roles | None) -> GroupSpec:
    if not top.given("groups"):
        own = None if top.given("roles") else _own(top, data, "groups")
        return own or GroupSpec(tuple(AttributeSpec(a) for a in (roles.attributes if roles else ())))
    own = top.child("groups", ("attributes", "min_rows", "order", "reference"))
    order = own.text("order", "size")
    if order not in ("size", "name"):
        raise BadInput(at(own.where, "order"), repr(order), "size or name", "use size")
    return GroupSpec(
        attributes=tuple(_attribute(given, where) for where, given in own.items("attributes", 100)),
        min_rows=own.whole("min_rows", 0, 0, 10**9),
        order=order,
        reference=own.text("reference", "", limit=10_000),
    )


def _attribute(given: Any, where: str) -> AttributeSpec:
    if isinstance(given, str):
        given = {"column": given}
    own = Fields(given, where, ("column", "edges", "quantiles", "words"))
    return AttributeSpec(
        column=own.text("column", limit=1000, filled=True),
        edges=tuple(own.one_number(value, place) for place, value in own.items("edges", 1000)),
        quantiles=own.whole("quantiles", 0, 0, 1000),
        words=own.words("words"),
    )


def _split(own: Fields) -> SplitSpec:
    shares = {name: own.number(name, getattr(SplitSpec, name)) for name in ("train", "val", "test")}
    return SplitSpec(seed=own.whole("seed", 0, 0, 2**31 - 1), **shares)


BUDGET_FIELDS = ("iterations", "evaluations", "batch_size", "optimizer", "lr", "weight_decay")


def _budget(own: Fields) -> Budget:
    default = Budget()

    def values(name: str) -> tuple[float, ...]:
        given = own.obj.get(name, getattr(default, name))
        found = _settings(given, at(own.where, name), lambda: OPTIMIZER[name])
        return tuple(own.one_number(v, at(own.where, name)) for v in found)

    def whole(name: str) -> int:
        param = BUDGET_PARAMS[name]
        return own.whole(name, getattr(default, name), int(param.low), int(param.high))

    return Budget(
        iterations=whole("iterations"),
        evaluations=whole("evaluations"),
        batch_size=whole("batch_size"),
        optimizer=own.text("optimizer", default.optimizer),
        lr=values("lr"),
        weight_decay=values("weight_decay"),
    )


def _method(given: Any, where: str) -> MethodSpec:
    if isinstance(given, str):
        given = {"name": given}
    own = Fields(given, where, ("name", "settings"))
    name = own.text("name", filled=True)
    settings = own.child("settings", None)
    return MethodSpec(name, {
        key: _settings(value, at(settings.where, key), partial(_param, name, key, settings.where))
        for key, value in settings.obj.items()
    })  # fmt: skip


def _param(method: str, name: str, where: str) -> Param:
    known = {p.name: p for p in registry.method(method).params}
    if name not in known:
        allowed = ", ".join(known) or "no settings"
        raise BadInput(at(where, name), f"a setting {method} does not have", allowed, "remove it")
    return known[name]


def _settings(value: Any, where: str, param: Callable[[], Param]) -> tuple[Any, ...]:
    """One value, a list or {"low", "high", "points"} -> the values to try."""
    if isinstance(value, Mapping):
        own = Fields(value, where, ("low", "high", "points"))
        low, high, points = own.number("low"), own.number("high"), own.whole("points", 5, 1, 1000)
        try:
            spaced = param()
            if not spaced.is_number:
                raise BadInput(where, "a range", "one value or a list, since it is not a number", "write a list")
            return spaced.grid(low, high, points)
        except BadInput as refused:
            raise BadInput(where, refused.found, refused.allowed, refused.hint) from None
    if not isinstance(value, (list, tuple)):
        return (scalar(value, where),)
    if not 1 <= len(value) <= 1000:
        raise BadInput(where, f"{len(value)} values", "1 to 1000 values", "remove the setting to keep its default")
    return tuple(scalar(v, f"{where}[{i}]") for i, v in enumerate(value))


# ---------------------------------------------------------------- writing


def dump_study(spec: StudySpec) -> dict[str, Any]:
    """The study as an object for JSON, every field written out; parse_study gives the same study back."""
    data, roles, groups = spec.data, spec.roles, spec.groups
    return {
        "format": FORMAT,
        "name": spec.name,
        "data": {"source": data.source, "name": data.name, "options": dict(data.options), "digest": data.digest,
                 "path": data.path},
        "roles": None if roles is None else {
            "label": roles.label, "positive": roles.positive, "attributes": list(roles.attributes),
            "weight": roles.weight, "key": roles.key, "text": list(roles.text), "text_encoder": roles.text_encoder,
            "dropped": dict(roles.dropped), "task": roles.task, "threshold": roles.threshold,
            "attributes_as_features": roles.attributes_as_features,
        },
        "groups": {
            "attributes": [{"column": a.column, "edges": list(a.edges), "quantiles": a.quantiles,
                            "words": dict(a.words)} for a in groups.attributes],
            "min_rows": groups.min_rows, "order": groups.order, "reference": groups.reference,
        },
        "split": {"seed": spec.split.seed, "train": spec.split.train, "val": spec.split.val, "test": spec.split.test},
        "trainings": [dump_train(train) for train in spec.trainings],
    }  # fmt: skip


def dump_train(train: TrainSpec) -> dict[str, Any]:
    """One training as an object for JSON; parse_train gives the same training back."""
    budget = train.budget
    return {
        "methods": [{"name": m.name, "settings": {k: list(v) for k, v in m.settings.items()}} for m in train.methods],
        "model": {"net": train.net, **train.net_settings},
        "seeds": list(train.seeds),
        "budget": {"iterations": budget.iterations, "evaluations": budget.evaluations,
                   "batch_size": budget.batch_size, "optimizer": budget.optimizer,
                   "lr": list(budget.lr), "weight_decay": list(budget.weight_decay)},
        "device": train.device,
        "precision": train.precision,
    }  # fmt: skip
