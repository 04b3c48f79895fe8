"""The shapes everything else speaks in: settings, data, batches, methods, metrics, runs.

This module imports no other module of the project. Letters used in shapes throughout:
N rows, B rows of a batch, D features, C classes, A attribute groups, S = C x A subgroups
(label x attribute group, subgroup = y * A + attr), R runs, K settings, E evaluations,
P splits (train, val, test in that order), T thresholds, G groups of a partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # torch takes a second to import: types must not pay for it
    import numpy as np
    import pandas as pd
    from torch import Generator, Tensor

    Weights = dict[str, Tensor]
    State = dict[str, Tensor]

SPLITS = ("train", "val", "test")


class BadInput(ValueError):
    """Something a person gave cannot be used. Prints as one sentence that says what to do.

    Args:
        field: the field or column in the person's words ("Label", "Learning rate").
        found: what was there ("3 different values").
        allowed: what would have been accepted ("exactly 2 values").
        hint: what to try next, starting with a verb ("choose another column").
    """

    def __init__(self, field: str, found: str, allowed: str, hint: str) -> None:
        self.field, self.found, self.allowed, self.hint = field, found, allowed, hint
        super().__init__(f"{field}: found {found}, allowed is {allowed}; {hint}.")


@dataclass(frozen=True)
class Param:
    """One setting: the widget, the sweep axis, the URL field, the validation and the tests come from it.

    Args:
        name: the keyword in the code and in study files.
        default: the value used where nothing is said; its type is the setting's type.
        low, high: the inclusive range of a number.
        log: True where ranges are spaced by factors.
        choices: the allowed values of a setting that is not a number.
        static: True where the value changes shapes or control flow, so runs that differ in it are not stacked.
        stage: "train" (seen by loss/step), "prepare", "between" or "decide": where the value is used first.
            Runs that differ only in "decide" settings share one trained model.
        title: the plain-words name shown to people.
        symbol: the symbol as the paper writes it.
        help: one or two plain sentences: what it does, which way it pushes.
    """

    name: str
    default: float | int | str | bool
    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[Any, ...] = ()
    static: bool = False
    stage: str = "train"
    title: str = ""
    symbol: str = ""
    help: str = ""

    @property
    def label(self) -> str:
        """The name shown to people, with the paper's symbol where there is one."""
        words = self.title or self.name.replace("_", " ")
        return f"{words} ({self.symbol})" if self.symbol else words

    @property
    def is_number(self) -> bool:
        return not self.choices and isinstance(self.default, (int, float)) and not isinstance(self.default, bool)

    def check(self, value: Any) -> Any:
        """Return `value` in the setting's own type, or raise BadInput."""
        if self.choices:
            for choice in self.choices:
                if value == choice and isinstance(value, bool) == isinstance(choice, bool):
                    return choice
            allowed = "one of " + ", ".join(map(str, self.choices))
            raise BadInput(self.label, repr(value), allowed, f"use {self.default!r}, the default")
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise BadInput(self.label, repr(value), "true or false", f"use {self.default}, the default")
        if isinstance(self.default, str):
            if isinstance(value, str):
                return value
            raise BadInput(self.label, repr(value), "text", f"use {self.default!r}, the default")
        return self._check_number(value)

    def _check_number(self, value: Any) -> float | int:
        span = f"a {'whole ' if isinstance(self.default, int) else ''}number from {self.low:g} to {self.high:g}"
        hint = f"use {self.default}, the default"
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise BadInput(self.label, repr(value), span, hint)
        if isinstance(self.default, int) and value != int(value):
            raise BadInput(self.label, repr(value), span, hint)
        if not self.low <= value <= self.high:
            raise BadInput(self.label, f"{value:g}", span, hint)
        return int(value) if isinstance(self.default, int) else float(value)

    def grid(self, low: float, high: float, points: int) -> tuple[Any, ...]:
        """`points` values from `low` to `high`, spaced by factors where `log` is set; no doubles."""
        low, high = self.check(low), self.check(high)
        if points < 1 or points > 1000:
            raise BadInput(f"{self.label}, number of points", str(points), "1 to 1000", "use 5")
        if points == 1 or low == high:
            return (low,)
        steps = [i / (points - 1) for i in range(points)]
        if self.log and low > 0 and high > 0:
            values = [low * (high / low) ** s for s in steps]
        else:
            values = [low + (high - low) * s for s in steps]
        values[-1] = high
        typed = [round(v) if isinstance(self.default, int) else float(f"{v:.6g}") for v in values]
        return tuple(dict.fromkeys(self.check(min(max(v, self.low), self.high)) for v in typed))


# ------------------------------------------------------------------ data


@dataclass(frozen=True)
class Roles:
    """Which column plays which part. Every other column of the table is a feature.

    Args:
        label: the column to predict.
        positive: the word of the positive class (binary); None for several classes and for regression.
        attributes: the columns whose groups matter.
        weight: the column of sample weights.
        key: the column that keeps rows together in the split (rows of one person).
        text: the columns of free text, encoded by `text_encoder`.
        dropped: column -> reason, for columns that must not be features.
        task: "binary", "multiclass" or "regression".
        threshold: a numeric label becomes binary as `label >= threshold` (then positive is "yes").
        attributes_as_features: False hides the attribute columns from the model.
    """

    label: str
    positive: str | None = None
    attributes: tuple[str, ...] = ()
    weight: str | None = None
    key: str | None = None
    text: tuple[str, ...] = ()
    text_encoder: str = "tfidf"
    dropped: Mapping[str, str] = field(default_factory=dict)
    task: str = "binary"
    threshold: float | None = None
    attributes_as_features: bool = True


@dataclass(frozen=True)
class AttributeSpec:
    """How one attribute column becomes groups: a numeric one is cut at `edges` or into `quantiles` parts;
    `words` replaces raw values by the words people read."""

    column: str
    edges: tuple[float, ...] = ()
    quantiles: int = 0
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupSpec:
    """The groups of a study: the intersections of `attributes`.

    Args:
        min_rows: intersections with fewer rows are merged into one group "other (merged)".
        order: "size" (largest first) or "name".
        reference: the label of the reference group; "" is the largest.
    """

    attributes: tuple[AttributeSpec, ...] = ()
    min_rows: int = 0
    order: str = "size"
    reference: str = ""


@dataclass(frozen=True)
class SplitSpec:
    """Shares of the three parts and the seed of the draw; stratified by subgroup."""

    seed: int = 0
    train: float = 0.6
    val: float = 0.15
    test: float = 0.25


@dataclass(frozen=True)
class Table:
    """A table as read, before roles: `frame` (N rows), for image sets also `images` (N, channels, h, w) in [0, 1]."""

    frame: pd.DataFrame
    images: np.ndarray | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dataset:
    """A table with roles: rows without a label are gone (their number is in `notes`).

    Args:
        name, title: slug and words.
        frame: (N) feature columns, raw (numbers or text, missing values still missing).
        y: (N,) int64 class codes; for two classes 1 is the positive one; float for regression.
        classes: C words; classes[code].
        attributes: (N) raw attribute columns.
        weight: (N,) positive sample weights with mean 1, or None.
        key: (N,) int64 codes of the split key, or None.
        images: (N, channels, h, w) float32, or None.
        roles: the roles it was made with.
        fingerprint: SHA-256 (hex, 16 characters) of values and roles.
        notes: what was done to the rows, in plain sentences.
    """

    name: str
    title: str
    frame: pd.DataFrame
    y: np.ndarray
    classes: tuple[str, ...]
    attributes: pd.DataFrame
    weight: np.ndarray | None
    key: np.ndarray | None
    images: np.ndarray | None
    roles: Roles
    fingerprint: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Groups:
    """Attribute groups of a dataset: `code` (N,) int64 in 0..A-1, A `labels` in words, `parts[a]` attribute -> value,
    `merged` the labels that were put together, `reference` the code of the reference group."""

    code: np.ndarray
    labels: tuple[str, ...]
    parts: tuple[Mapping[str, str], ...]
    reference: int = 0
    merged: tuple[str, ...] = ()


class Splits(NamedTuple):
    """Disjoint row indices, int64, ascending."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Task:
    """What the engine trains on: a dataset, its groups and one split, encoded as plain arrays.

    Encoding (imputing, scaling, one-hot, text) was fitted on `splits.train` only.

    Args:
        x: (N, D) float32. y: (N,) int64. attr: (N,) int64. w: (N,) float32, mean 1 (all ones without weights).
        splits: row indices. val_fit, val_select: a fixed halving of splits.val, stratified by subgroup, for methods
            that learn from validation rows (they fit on the first and are measured on the second).
        feature_names: D words. image_shape: (channels, h, w) where x is a flattened image, else None.
        fingerprint: of the encoded arrays and the split.
    """

    name: str
    title: str
    x: np.ndarray
    y: np.ndarray
    attr: np.ndarray
    w: np.ndarray
    classes: tuple[str, ...]
    attr_labels: tuple[str, ...]
    reference: int
    splits: Splits
    val_fit: np.ndarray
    val_select: np.ndarray
    feature_names: tuple[str, ...]
    image_shape: tuple[int, int, int] | None
    fingerprint: str
    weighted: bool = False

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_attrs(self) -> int:
        return len(self.attr_labels)

    @property
    def subgroup(self) -> np.ndarray:
        """(N,) int64, y * A + attr."""
        return self.y * self.n_attrs + self.attr


# ------------------------------------------------------------------ methods


class Batch(NamedTuple):
    """One mini-batch of one run. Ready-made one-hots, because F.one_hot fails under vmap.

    x (B, D) float; y (B,) int64; t (B, C) one-hot of y; a (B, A) one-hot of the attribute group;
    s (B, C * A) one-hot of the subgroup y * A + attr; w (B,) loss weights (mean 1 over the training rows);
    i (B,) int64 position in the run's rows. Where a method does not declare "attr_train", everyone is in
    attribute group 0.
    """

    x: Tensor
    y: Tensor
    t: Tensor
    a: Tensor
    s: Tensor
    w: Tensor
    i: Tensor


@dataclass(frozen=True)
class Rows:
    """The rows a run learns from.

    Args:
        index: (M,) int64 rows of Task.x. None: the training rows.
        weight: (M,) float loss weights, or None for ones. Multiplied by the data's own weights.
        prob: (M,) sampling probabilities (sum 1): draw with replacement. None: shuffle without replacement.
        x, y, attr: synthetic rows appended after `index` ((Q, D), (Q,), (Q,)); weight and prob cover M + Q rows then.
    """

    index: np.ndarray | None = None
    weight: np.ndarray | None = None
    prob: np.ndarray | None = None
    x: np.ndarray | None = None
    y: np.ndarray | None = None
    attr: np.ndarray | None = None


@dataclass(frozen=True)
class Stage:
    """The second stage of a two-stage method: `rows` to learn from; `fresh` weights: "all", "head" or "none" are drawn
    anew; `train`: "all" weights move or the "head" alone (features then stay bit-identical);
    `standardise`: features are standardised with statistics of `rows` before the head."""

    rows: Rows
    fresh: str = "all"
    train: str = "all"
    standardise: bool = False


@dataclass(frozen=True)
class Rule:
    """A decision rule for two classes: positive where score >= thresholds[attr]. `note` says what was reached
    ("no rule keeps the gap under 0.01 on validation; the closest reaches 0.013")."""

    thresholds: np.ndarray
    note: str = ""


class Info(NamedTuple):
    """What a method's `init` may know. Counts are float32 tensors over the rows the run learns from (data weights
    not applied): class_counts (C,), attr_counts (A,), subgroup_counts (C * A,). Without "attr_train" everyone counts
    in attribute group 0."""

    n_rows: int
    n_features: int
    n_classes: int
    n_attrs: int
    n_hidden: int
    batch_size: int
    n_steps: int
    class_counts: Tensor
    attr_counts: Tensor
    subgroup_counts: Tensor


@dataclass(frozen=True)
class Net:
    """A pure architecture, one model at a time; the engine stacks it.

    init(gen, n_features, n_classes, hp, image_shape) -> weights; features(weights, x (B, D)) -> (B, H);
    the head is always weights["head.w"] (H, C) and weights["head.b"] (C,): see core.nn.head.
    """

    name: str
    title: str
    params: tuple[Param, ...]
    init: Callable[[Generator, int, int, Mapping[str, Any], Any], Weights]
    features: Callable[[Weights, Tensor], Tensor]
    summary: str = ""
    images_only: bool = False


@dataclass(frozen=True)
class Method:
    """A mitigation. Every hook is None (behave as ERM) unless the method changes it; seven hooks is the limit.

    Metadata:
        name (slug = module name), title, family (= folder), summary (one plain sentence), source (the reference),
        equation (plain text or TeX), params, papers (numbers of the papers page), needs, limits, known_failures,
        reconstruction ("" or what is reconstructed), stacked (False for scikit-learn methods: looped).
        needs: subset of {"attr_train", "attr_val", "attr_test", "fit_val", "scores_only", "binary"}: columns the
            method sees ("fit_val": learns from half of the validation rows).
        limits: tuple of (settings, other method's name, other's settings): at these settings it must equal the other.
        head: "linear" or "cosine" (unit-norm features and class vectors, logits = head.scale * cosine).
        base: for two-stage methods the share of the iterations given to stage one is hp["first"] if that Param
            exists, else 0.5 (stage one is ERM).

    Hooks (net and hp as everywhere; ONE model; runs under vmap, so no .item(), no `if` on tensors, no boolean masks):
        prepare(task, hp, rng: numpy Generator) -> Rows
        init(info, hp, gen: torch Generator) -> (params, state): `params` are extra or overriding trainable tensors put
            into the weights (names with a dot, e.g. "adv.w"), `state` a dict of tensors of fixed shape and dtype.
        loss(net, weights, state, batch, hp) -> (scalar, state)
        step(net, loss, weights, state, batch, hp) -> (grads, state): grads has the keys of weights; the engine's
            optimiser applies it. `loss` is the method's own loss (or ERM's) with the signature above. Default: its gradient.
        between(task, scores, hp, rng) -> Stage: after stage one; scores (N, C) probabilities of all rows.
        decide(scores, attr, y, w, hp) -> Rule: validation rows; scores (Nv,) probability of the positive class.
        fit(task, rows, hp, seed) -> predict, predict(x (M, D)) -> (M, C) probabilities (scikit-learn escape).
    hp in loss/step: dict name -> 0-d tensor (numeric, stacked Params) or plain value (static ones).
    """

    name: str
    title: str
    family: str
    summary: str
    source: str
    equation: str = ""
    params: tuple[Param, ...] = ()
    papers: tuple[int, ...] = ()
    needs: frozenset[str] = frozenset()
    limits: tuple[tuple[Mapping[str, Any], str, Mapping[str, Any]], ...] = ()
    known_failures: str = ""
    reconstruction: str = ""
    head: str = "linear"
    prepare: Callable[..., Rows] | None = None
    init: Callable[..., tuple[Weights, State]] | None = None
    loss: Callable[..., tuple[Tensor, State]] | None = None
    step: Callable[..., tuple[Weights, State]] | None = None
    between: Callable[..., Stage] | None = None
    decide: Callable[..., Rule] | None = None
    fit: Callable[..., Callable[[np.ndarray], np.ndarray]] | None = None

    @property
    def stacked(self) -> bool:
        return self.fit is None

    def param(self, name: str) -> Param:
        return next(p for p in self.params if p.name == name)


# ------------------------------------------------------------------ built-in data


@dataclass(frozen=True)
class Card:
    """What a person must know before using a data set; every text in plain sentences.

    source, licence, credit; label: what the label means and who is the positive class; groups: what the attributes are;
    harms: known harms and traps, one sentence each; n_rows, n_columns as shipped; modality: "table", "image", "text".
    """

    source: str
    licence: str
    credit: str
    label: str
    groups: str
    harms: tuple[str, ...]
    n_rows: int
    n_columns: int
    modality: str = "table"


@dataclass(frozen=True)
class DatasetEntry:
    """A built-in data set: the constant DATASET of core/data/sets/<name>.py.

    load(options) -> Table, options checked against `params`; `roles(options)` -> Roles; `groups(options)` -> GroupSpec.
    """

    name: str
    title: str
    card: Card
    load: Callable[[Mapping[str, Any]], Table]
    roles: Callable[[Mapping[str, Any]], Roles]
    groups: Callable[[Mapping[str, Any]], GroupSpec]
    params: tuple[Param, ...] = ()
    order: int = 100


# ------------------------------------------------------------------ measurement


@dataclass(frozen=True)
class Metric:
    """One formula over confusion counts: the constant METRIC of core/metrics/<name>.py.

    of(counts (..., G, C, C)) -> (..., G) float, rows true, columns predicted; 0/0 is NaN, never 0.
    undefined: the words shown for NaN ("0 positives"). binary: needs two classes (class 1 positive).
    aka: what Fairlearn, AIF360, Aequitas, OxonFair call it.
    """

    name: str
    title: str
    help: str
    of: Callable[[np.ndarray], np.ndarray]
    undefined: str
    higher_is_better: bool | None = True
    bounds: tuple[float, float] = (0.0, 1.0)
    binary: bool = False
    equation: str = ""
    source: str = ""
    aka: Mapping[str, str] = field(default_factory=dict)
    order: int = 100


# ------------------------------------------------------------------ studies and runs


@dataclass(frozen=True)
class DataSpec:
    """Where the table comes from: source "builtin" (name, options), "upload" (digest: SHA-256 of the file's bytes, name)
    or "path" (path on the server's disk)."""

    source: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    path: str = ""


@dataclass(frozen=True)
class Budget:
    """How long and with what every run trains. `iterations` are optimiser steps, the same for every method, so that
    sampling methods compare at matched budgets; `evaluations` are spread evenly over them."""

    iterations: int = 1000
    evaluations: int = 20
    batch_size: int = 256
    optimizer: str = "adamw"
    lr: tuple[float, ...] = (1e-3,)
    weight_decay: tuple[float, ...] = (1e-4,)


@dataclass(frozen=True)
class MethodSpec:
    """A method and, per setting, the values to try (their product is swept). Settings not named stay at default."""

    name: str
    settings: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainSpec:
    """One training job: an architecture (with its settings), methods, seeds, budget, device ("auto", "cpu", "cuda",
    "mps"), precision ("float32", or "bfloat16": matrix products in bfloat16, weights in float32)."""

    methods: tuple[MethodSpec, ...]
    net: str = "mlp"
    net_settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = (0, 1, 2)
    budget: Budget = Budget()
    device: str = "auto"
    precision: str = "float32"


@dataclass(frozen=True)
class StudySpec:
    """A study: data, roles, groups, split, and the trainings asked for so far. roles None: not confirmed yet."""

    name: str
    data: DataSpec
    roles: Roles | None = None
    groups: GroupSpec = GroupSpec()
    split: SplitSpec = SplitSpec()
    trainings: tuple[TrainSpec, ...] = ()


RUN_STATES = ("queued", "running", "finished", "diverged", "failed", "cancelled", "interrupted")


@dataclass(frozen=True)
class RunRecord:
    """One run as the store knows it: where its arrays lie (cohort, position) and what it was.

    key: 16 hex characters, a hash of task fingerprint, method, settings, net, budget, seed: the same work, the same key.
    settings: the method's settings plus "lr" and "weight_decay". state: one of RUN_STATES.
    parent: for a saved threshold rule the key of the run it was made from, else "". stage: what was reached ("note").
    """

    key: str
    study: str
    job: str
    cohort: str
    position: int
    method: str
    settings: Mapping[str, Any]
    seed: int
    net: str
    state: str
    parent: str = ""
    note: str = ""

    @property
    def setting_key(self) -> str:
        """The same for runs that differ by seed alone (and by nothing else)."""
        pairs = ", ".join(f"{k}={v}" for k, v in sorted(self.settings.items()))
        return f"{self.job}:{self.net}:{self.method}:{pairs}:{self.parent and self.cohort}"


@dataclass(frozen=True)
class History:
    """What a cohort's evaluations counted (arrays in numpy; the E axis grows while training).

    iteration (E,) int64; counts (E, P, R, A, C, C) float64, weighted confusion counts; loss (E, P, R, C, A) float64,
    weighted mean cross-entropy of each class x attribute group, NaN where the cell is empty;
    state (R,) int8 index into RUN_STATES; diverged_at (R,) int64 iteration or -1;
    n (P, C, A) float64 unweighted rows per cell, n_effective (P, C, A) Kish's effective rows.
    The train split is measured on a fixed sample when it is large; n says how many rows.
    """

    iteration: np.ndarray
    counts: np.ndarray
    loss: np.ndarray
    state: np.ndarray
    diverged_at: np.ndarray
    n: np.ndarray
    n_effective: np.ndarray


@dataclass(frozen=True)
class Scores:
    """Final scores of one cohort on one split: score (R, n) float32 probability of the positive class for two classes,
    else (R, n, C); thresholds (R, A) of the rule each run decides with (0.5 without a rule; NaN for several classes);
    y, attr (n,) int64; w (n,) float32; rows (n,) row numbers of the dataset."""

    score: np.ndarray
    thresholds: np.ndarray
    y: np.ndarray
    attr: np.ndarray
    w: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class JobSnapshot:
    """A job at one moment, immutable; replaced whole under a lock. Times are time.time() seconds.

    state: "queued", "preparing", "running", "finished", "failed", "cancelled", "interrupted".
    done, total: run-iterations. message: one sentence about what it is doing or why it stopped.
    """

    id: str
    study: str
    state: str
    version: int = 0
    done: float = 0.0
    total: float = 1.0
    n_runs: int = 0
    finished: int = 0
    diverged: int = 0
    failed: int = 0
    created: float = 0.0
    started: float = 0.0
    ended: float = 0.0
    seconds_left: float | None = None
    message: str = ""
    device: str = ""
    log: tuple[str, ...] = ()

    @property
    def live(self) -> bool:
        return self.state in ("queued", "preparing", "running")

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0
