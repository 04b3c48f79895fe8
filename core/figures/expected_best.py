"""The best result to expect from trying n settings: who wins by trying more, and who wins anyway.

Source: J. Dodge, S. Gururangan, D. Card, R. Schwartz, N. A. Smith, "Show Your Work: Improved Reporting of Experimental
Results", EMNLP 2019; here for draws without replacement, which is exact for the settings that were tried.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import gammaln


def _weights(tried: int) -> np.ndarray:
    """(n, i): the chance C(i-1, n-1) / C(N, n) that the i-th smallest of N is the largest of n, n = 1 .. N."""
    n, i = np.arange(1, tried + 1)[:, None], np.arange(1, tried + 1)[None, :]
    free = np.maximum(i - n, 0)
    log = gammaln(i) - gammaln(n) - gammaln(free + 1)
    log -= gammaln(tried + 1) - gammaln(n + 1) - gammaln(tried - n + 1)
    return np.where(i >= n, np.exp(log), 0.0)


def expected_best_table(
    values: dict[str, np.ndarray], rng: np.random.Generator, higher_is_better: bool = True, worlds: int = 1000
) -> pd.DataFrame:
    """One row for a method and a number n of settings: the expected best of n drawn without replacement.

    values: method -> (N,) one number a setting, in the metric's unit; undefined (NaN) ones are left out. low and high
    are the middle 95 % over `worlds` bootstrap draws of the settings. Columns: method, tried (N), n, best, low, high.
    """
    sign, frames = (1.0 if higher_is_better else -1.0), []
    for method, given in values.items():
        kept = np.asarray(given, dtype=float)
        kept = np.sort(sign * kept[np.isfinite(kept)])
        size = len(kept)
        if not size:
            continue
        weights = _weights(size)
        drawn = np.sort(kept[rng.integers(0, size, (worlds, size))], axis=1) @ weights.T
        ends = np.sort(sign * np.quantile(drawn, [0.025, 0.975], axis=0), axis=0)
        frames.append(pd.DataFrame({
            "method": method, "tried": size, "n": np.arange(1, size + 1), "best": sign * (weights @ kept),
            "low": ends[0], "high": ends[1],
        }))
    columns = ["method", "tried", "n", "best", "low", "high"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)
