"""The setting that all two-stage methods share."""

from __future__ import annotations

from core.types import Param

FIRST = Param(
    "first", 0.5, 0.05, 0.95, static=True, title="Share of stage one",
    help="Part of the iterations spent on the first model. A short first stage makes more and broader mistakes.",
)  # fmt: skip
