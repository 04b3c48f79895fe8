"""Ready-made choices of methods to begin a training with. A method that is not there is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import registry
from core.types import Method, MethodSpec, Task

FAMILIES = {
    "baseline": "Baseline", "reweight": "Reweighting", "resample": "Resampling", "margin": "Margins and losses",
    "robust": "Worst-group training", "gradient": "Gradients",
    "represent": "Representations", "augment": "Augmentation", "two_stage": "Two stages",
    "constraint": "Fairness penalties", "post": "Decision rules", "ensemble": "Trees and classics (looped)",
}
NEEDS = {
    "attr_train": "the group of every training row",
    "attr_val": "the group of every validation row",
    "attr_test": "the group of everyone it decides about later",
    "fit_val": "half of the validation rows to learn from",
    "scores_only": "a trained model's scores",
    "binary": "two classes",
}


SIGHT = {"": "all methods", "seen": "must be known", "blind": "not needed"}
PACE = {"": "any", "stacked": "all runs together", "looped": "one after another"}


@dataclass(frozen=True)
class Plan:
    """A title, one sentence, and method -> settings to sweep (others stay at their default)."""

    title: str
    help: str
    methods: Mapping[str, Mapping[str, tuple[Any, ...]]]


PLANS = {
    "first": Plan("First look", "Plain training and one or two of each kind of remedy: a front in a minute or less.", {
        "erm": {}, "reweight": {}, "subg": {}, "group_dro": {"eta": (0.01, 0.1)}, "dfr": {},
        "dp_penalty": {"lam": (0.3, 1.0, 3.0)}, "group_thresholds": {"gap_bound": (0.02, 0.05, 0.1)},
    }),
    "blind": Plan("No group labels", "Remedies that never see who belongs to which group while they train.", {
        "erm": {}, "suby": {}, "focal": {"gamma": (0.5, 1.0, 2.0)}, "gce": {"q": (0.3, 0.7)}, "balanced_softmax": {},
        "sd": {}, "cvar_dro": {"alpha": (0.1, 0.3, 0.6)}, "jtt": {"lam": (3.0, 10.0, 30.0)}, "lff": {}, "mixup": {},
    }),
    "classes": Plan("Class imbalance", "Remedies for a rare class: weights, samples, margins, ensembles, thresholds.", {
        "erm": {}, "reweight": {"by": ("class",)}, "cb_loss": {"by": ("class",)}, "drw": {},
        "focal": {"gamma": (1.0, 2.0)}, "ldam": {}, "ldam_drw": {}, "balanced_softmax": {},
        "logit_adjustment": {"tau": (0.5, 1.0, 2.0)}, "random_over": {}, "suby": {}, "smote": {}, "smote_enn": {},
        "balanced_forest": {}, "easy_ensemble": {}, "self_paced": {}, "prior_cost_threshold": {},
    }),
    "parity": Plan("Parity constraints", "Remedies that push rates of the groups together, from weak to strong.", {
        "erm": {}, "dp_penalty": {"lam": (0.1, 0.3, 1.0, 3.0, 10.0)}, "eo_penalty": {"lam": (0.1, 0.3, 1.0, 3.0)},
        "adversarial": {"lam": (0.3, 1.0, 3.0)}, "distance_covariance": {}, "exponentiated_gradient": {},
        "correlation_remover": {}, "group_thresholds": {"gap_bound": (0.01, 0.02, 0.05, 0.1)}, "bias_scores": {},
    }),
    "all": Plan("Everything quick", "Every method that trains stacked, once, at its default settings.", {}),
}


def specs(name: str, task: Task) -> tuple[MethodSpec, ...]:
    """The methods of a plan that are there and can work on the task."""
    there = offered(task)
    if name == "all":
        return tuple(MethodSpec(m.name) for m in there.values() if m.stacked)
    known = {m: {p.name for p in there[m].params} for m in there}
    return tuple(MethodSpec(m, {k: v for k, v in settings.items() if k in known[m]})
                 for m, settings in PLANS[name].methods.items() if m in there)


def offered(task: Task) -> dict[str, Method]:
    """Methods that can work on the task, family by family."""
    there = {name: m for name, m in registry.methods().items() if "binary" not in m.needs or task.n_classes == 2}
    return {m.name: m for m in sorted_methods(there)}


def sorted_methods(methods: Mapping[str, Method]) -> list[Method]:
    """Methods family by family, by title inside."""
    order = list(FAMILIES)
    place = {m.name: order.index(m.family) if m.family in order else len(order) for m in methods.values()}
    return sorted(methods.values(), key=lambda m: (place[m.name], m.family, m.title))


def fits(method: Method, family: str = "", sight: str = "", pace: str = "") -> bool:
    """Whether a method is of the family, sees the groups while training ("seen" or "blind") and trains at the pace
    ("stacked" or "looped"); "" asks for nothing."""
    return ((not family or method.family == family)
            and (not sight or ("attr_train" in method.needs) == (sight == "seen"))
            and (not pace or method.stacked == (pace == "stacked")))


def families(methods: Mapping[str, Method]) -> list[str]:
    """The families that hold any of the methods, "" for all of them first."""
    return ["", *dict.fromkeys(m.family for m in sorted_methods(methods))]


def family_words(name: str) -> str:
    """A family in words; "" is all."""
    return FAMILIES.get(name, name.replace("_", " ").capitalize()) if name else "all"


def left_out(task: Task) -> list[str]:
    """Titles of the methods that cannot work on the task."""
    there = offered(task)
    return [m.title for m in registry.methods().values() if m.name not in there]


def family(method: Method) -> str:
    """The family in words."""
    return family_words(method.family)
