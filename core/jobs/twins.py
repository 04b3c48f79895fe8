"""A run's twin: the same table, split, method, settings and seed, trained without seeing the attributes."""

from __future__ import annotations

from dataclasses import replace

from core.store.base import Store, StudyRow
from core.types import BadInput, Budget, MethodSpec, RunRecord, StudySpec, TrainSpec

SUFFIX = " (attributes hidden)"


def hidden(spec: StudySpec) -> StudySpec:
    """The same study with the attributes hidden from the models, without trainings.

    Raises BadInput where the label is not chosen or the attributes are hidden already.
    """
    if spec.roles is None or not spec.roles.attributes_as_features:
        raise BadInput("Attributes", "models that do not see them", "a study whose models may use the attributes",
                       "turn 'The models may use the attributes' on")
    roles = replace(spec.roles, attributes_as_features=False)
    return replace(spec, name=spec.name[:100] + SUFFIX, roles=roles, trainings=())


def twin_training(store: Store, run: RunRecord) -> TrainSpec:
    """A training of one model: the run's method at its settings, its seed and its job's budget."""
    train = store.job_spec(run.job)
    own = {k: (v,) for k, v in run.settings.items() if k not in ("lr", "weight_decay")}
    lr, decay = ((run.settings[k],) if k in run.settings else getattr(train.budget, k) for k in ("lr", "weight_decay"))
    budget = replace(train.budget, lr=lr, weight_decay=decay)
    return replace(train, methods=(MethodSpec(run.method, own),), seeds=(run.seed,), budget=budget)


def find_twin(store: Store, row: StudyRow, run: RunRecord) -> tuple[StudyRow, RunRecord | None] | None:
    """The study whose models do not see the attributes, and the run's twin in it if it is there.

    Returns:
        None where there is no such study; (study, None) where the twin has not been trained to its end.
    """
    if run.parent or row.spec.roles is None or not row.spec.roles.attributes_as_features:
        return None
    wanted, budget = hidden(row.spec), twin_training(store, run).budget
    for other in store.studies():
        same = replace(other.spec, name=wanted.name, trainings=())
        if other.id == row.id or same != wanted:
            continue
        for found in store.runs(other.id):
            alike = (found.method, found.net, found.seed, dict(found.settings), found.parent) == (
                run.method, run.net, run.seed, dict(run.settings), run.parent)
            if alike and found.state == "finished" and _budget(store, found) == budget:
                return other, found
        return other, None
    return None


def _budget(store: Store, run: RunRecord) -> Budget:
    return twin_training(store, run).budget
