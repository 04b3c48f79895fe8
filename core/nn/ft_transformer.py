"""Small transformer for tables (FT style): every input is a token, and what a token says may depend on the others.

Blocks with the norm before (none before the first attention), ReGLU, class token last read; in the last block only the
class token asks, which gives the same output. Departures: a category's columns are tokens of their own (0 and 1), not
one looked-up token; no dropout; one narrow block where the paper has 3 of 192, so that a front fits a CPU.
Source: Gorishniy, Rubachev, Khrulkov, Babenko, Revisiting deep learning models for tabular data, NeurIPS 2021
(arXiv 2106.11959).
"""

from __future__ import annotations

import torch
from torch.nn.functional import layer_norm

from core.nn.head import draw_linear
from core.types import BadInput, Net, Param

MOST_INPUTS = 400


def _draw(gen, bound, *shape):
    return torch.empty(shape).uniform_(-bound, bound, generator=gen)


def init(gen, n_features, n_classes, hp, image_shape):
    """Weights "token.w", "token.b" (D, H), "token.class" (1, H); per block "block<k>.query", ".key", ".value"
    (heads, H, H / heads), ".mix.*" (H, H), ".up.*" (H, 4H), ".down.*" (2H, H) and norms (H,); "head.*" (H, C)."""
    if n_features > MOST_INPUTS:
        raise BadInput("Architecture", f"{n_features:,} inputs", f"at most {MOST_INPUTS} for the transformer, which "
                       "compares every input with every other", "choose ResNet-MLP, or leave columns out")
    hidden, heads = hp["width"] * hp["heads"], hp["heads"]
    bound, weights = hidden**-0.5, {}
    weights["token.w"], weights["token.b"] = (_draw(gen, bound, n_features, hidden) for _ in range(2))
    weights["token.class"] = _draw(gen, bound, 1, hidden)
    for k in range(hp["blocks"]):
        for part in ("query", "key", "value"):
            weights[f"block{k}.{part}"] = _draw(gen, bound, heads, hidden, hp["width"])
        for norm in ("ask", "norm") if k else ("norm",):
            weights[f"block{k}.{norm}.w"], weights[f"block{k}.{norm}.b"] = torch.ones(hidden), torch.zeros(hidden)
        weights[f"block{k}.mix.w"], weights[f"block{k}.mix.b"] = draw_linear(gen, hidden, hidden)
        weights[f"block{k}.up.w"], weights[f"block{k}.up.b"] = draw_linear(gen, hidden, 4 * hidden)
        weights[f"block{k}.down.w"], weights[f"block{k}.down.b"] = draw_linear(gen, 2 * hidden, hidden)
    weights["last.norm.w"], weights["last.norm.b"] = torch.ones(hidden), torch.zeros(hidden)
    weights["head.w"], weights["head.b"] = draw_linear(gen, hidden, n_classes)
    return weights


def _norm(weights, name, h):
    return layer_norm(h, h.shape[-1:], weights[f"{name}.w"], weights[f"{name}.b"])


def _attended(weights, name, asking, h):
    """(B, Q, H) asking tokens, (B, T, H) all tokens -> (B, Q, H)."""
    q, k, v = (torch.einsum("bth,nhe->bnte", t, weights[f"{name}.{part}"])
               for t, part in ((asking, "query"), (h, "key"), (h, "value")))
    share = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1)
    heads = (share @ v).transpose(-2, -3).flatten(-2)
    return heads @ weights[f"{name}.mix.w"] + weights[f"{name}.mix.b"]


def features(weights, x):
    """(B, D) -> (B, H)."""
    tokens = x.unsqueeze(-1) * weights["token.w"] + weights["token.b"]
    h = torch.cat([weights["token.class"].expand(x.shape[0], 1, -1), tokens], dim=1)
    k = 0
    while f"block{k}.query" in weights:
        name, last = f"block{k}", f"block{k + 1}.query" not in weights
        read = _norm(weights, f"{name}.ask", h) if k else h
        if last:
            h = h[:, :1]
        h = h + _attended(weights, name, read[:, :1] if last else read, read)
        gate, up = (_norm(weights, f"{name}.norm", h) @ weights[f"{name}.up.w"] + weights[f"{name}.up.b"]).chunk(2, -1)
        h = h + (torch.relu(gate) * up) @ weights[f"{name}.down.w"] + weights[f"{name}.down.b"]
        k += 1
    return torch.relu(_norm(weights, "last.norm", h[:, 0]))


def widest(weights):
    """Values of one row held at once: shares of attention of all heads, or tokens."""
    tokens, hidden = weights["token.w"].shape[-2] + 1, weights["token.w"].shape[-1]
    return tokens * max(tokens * weights["block0.query"].shape[-3], 4 * hidden)


NET = Net(
    name="ft_transformer",
    title="Transformer for tables (FT style)",
    summary="Every input is a token; attention weighs them anew for every row. Some twenty times slower than an MLP.",
    params=(
        Param("width", 8, 2, 64, log=True, static=True, title="Width of a head",
              help="Numbers that each head compares. Tokens have this many times the heads."),
        Param("heads", 2, 1, 8, static=True, title="Heads", help="How many comparisons are made side by side."),
        Param("blocks", 1, 1, 6, static=True, title="Blocks",
              help="With one, the answer looks at every input; each further one lets the inputs look at each other "
                   "first, and with a hundred inputs takes some thirty times longer."),
    ),
    init=init,
    features=features,
    widest=widest,
)  # fmt: skip
