"""What methods and architectures are made of: batches, rows, stages, rules and the seven hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from core.types.settings import Param

if TYPE_CHECKING:  # torch and pandas take a second to import: types must not pay for it
    import numpy as np
    from torch import Generator, Tensor

    Weights = dict[str, Tensor]
    State = dict[str, Tensor]


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
    `standardise`: features are standardised with statistics of `rows` before the head.

    Args:
        weights: what stage two starts from and trains, in place of the model's weights; other names need `merge`.
        state: constant tensors that the loss finds in its state (other names than the method's own).
        merge: (weights, state) of one model -> weights of its network, asked whenever the model is measured; under
            vmap. All stages of a cohort have the same names and shapes, and merge by the same function.
    """

    rows: Rows
    fresh: str = "all"
    train: str = "all"
    standardise: bool = False
    weights: Weights | None = None
    state: State | None = None
    merge: Callable[[Weights, State], Weights] | None = None


@dataclass(frozen=True)
class Trained:
    """One model after stage one, for a `between` that works on it: `net` its architecture, `weights` its tensors
    (on the CPU, detached), as `net.features` takes them."""

    net: Net
    weights: Weights


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
    widest(weights) -> values of one row that are held at once, where that is more than the widest weight matrix.
    """

    name: str
    title: str
    params: tuple[Param, ...]
    init: Callable[[Generator, int, int, Mapping[str, Any], Any], Weights]
    features: Callable[[Weights, Tensor], Tensor]
    summary: str = ""
    images_only: bool = False
    widest: Callable[[Weights], int] | None = None


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
            optimiser applies it. `loss` is the method's own loss (or ERM's), called as above. Default: its gradient.
        between(task, scores, hp, rng) -> Stage: after stage one; scores (N, C) probabilities, NaN for test rows. One
            that has a fifth argument `model` is given the model itself (Trained).
        decide(scores, attr, y, w, hp) -> Rule: validation rows; scores (Nv,) probability of the positive class.
        fit(task, rows, hp, seed) -> predict, predict(x (M, D)) -> (M, C) probabilities (scikit-learn escape);
            predict(x, attr) where the method needs everybody's group when deciding.
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
