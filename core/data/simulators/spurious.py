"""A toy world with a strong spurious feature: plain training relies on it, and the truth is known.

The label decides a weak core feature; a spurious feature, four times as large, agrees with the label except in one
row of five; 1,200 columns of noise let a model memorise those exceptions. Noise is zero at test, where it could only
blur the expected answer. After the toy set of Idrissi et al., "Simple data balancing achieves competitive worst-group
accuracy" (2022), built anew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.types import BadInput

CORE, SPURIOUS = 0, 1


@dataclass(frozen=True)
class SpuriousWorld:
    """What was drawn, and what is true about it.

    Args:
        x_train, x_test: (N, 2 + n_noise) float64; column 0 is the core feature, column 1 the spurious one, then noise.
        y_train, y_test: (N,) int64, half of the rows each class.
        attr_train, attr_test: (N,) int64, 1 where the spurious feature points to the positive class, else 0. A row is
            in the minority where attr differs from y.
        share_flipped: the exact share of minority rows in both parts.
        scale_core, scale_spurious, scale_noise: what the columns were multiplied by.
    """

    x_train: np.ndarray
    y_train: np.ndarray
    attr_train: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray
    attr_test: np.ndarray
    share_flipped: float
    scale_core: float
    scale_spurious: float
    scale_noise: float

    @property
    def spurious_accuracy(self) -> float:
        """Accuracy at test of a model that reads the spurious feature alone; its worst group then has 0."""
        return 1.0 - self.share_flipped

    @property
    def core_accuracy(self) -> float:
        """Accuracy at test, and in every group, of a model that reads the core feature alone."""
        return float(np.mean((self.x_test[:, CORE] > 0) == (self.y_test == 1)))


def _check(n_rows: int, n_noise: int, share_flipped: float, spread: float) -> None:
    if n_rows < 10 or n_rows % 2:
        raise BadInput("Rows", str(n_rows), "an even number, 10 or more", "use 1000")
    if n_noise < 0:
        raise BadInput("Noise columns", str(n_noise), "0 or more", "use 1200")
    if not 0 <= share_flipped <= 1:
        raise BadInput("Share of flipped rows", f"{share_flipped:g}", "0 to 1", "use 0.2")
    if not spread >= 0:
        raise BadInput("Spread", f"{spread:g}", "0 or more", "use 0.15")


def _draw(rng: np.random.Generator, n_rows: int, share_flipped: float, spread: float):
    """Labels in {-1, 1}, the two signals and the flipped rows of one part."""
    sign = np.repeat([-1.0, 1.0], n_rows // 2)
    core, spurious = sign * rng.normal(1.0, spread, (2, n_rows))
    flipped = rng.permutation(n_rows)[: round(share_flipped * n_rows)]
    spurious[flipped] *= -1
    pointed = sign.copy()
    pointed[flipped] *= -1
    return sign, core, spurious, pointed


def simulate_spurious(
    rng: np.random.Generator,
    n_rows: int = 1000,
    n_noise: int = 1200,
    share_flipped: float = 0.2,
    scale_core: float = 1.0,
    scale_spurious: float = 4.0,
    scale_noise: float = 2.0,
    spread: float = 0.15,
) -> SpuriousWorld:
    """Draw a training and a test part of `n_rows` rows each.

    Args:
        rng: the only source of chance; the same generator state gives the same world.
        n_rows, n_noise: rows of each part, columns of noise.
        share_flipped: share of rows, in each part exactly, whose spurious feature points to the other class.
        scale_core, scale_spurious, scale_noise: factors of the columns; `scale_noise` is the gamma of the tables.
        spread: standard deviation of both signals around 1 (before scaling).

    Raises:
        BadInput: an odd or tiny number of rows, a share outside 0 to 1, a negative count or spread.

    >>> world = simulate_spurious(np.random.default_rng(0))
    >>> world.x_train.shape, float(world.y_train.mean()), float(np.mean(world.attr_train == world.y_train))
    ((1000, 1202), 0.5, 0.8)
    """
    _check(n_rows, n_noise, share_flipped, spread)
    parts = []
    for is_train in (True, False):
        sign, core, spurious, pointed = _draw(rng, n_rows, share_flipped, spread)
        noise = rng.standard_normal((n_rows, n_noise)) if is_train else np.zeros((n_rows, n_noise))
        x = np.column_stack([scale_core * core, scale_spurious * spurious, scale_noise * noise])
        parts.append((x, (sign > 0).astype(np.int64), (pointed > 0).astype(np.int64)))
    (x, y, attr), (x_test, y_test, attr_test) = parts
    return SpuriousWorld(x, y, attr, x_test, y_test, attr_test, round(share_flipped * n_rows) / n_rows,
                         scale_core, scale_spurious, scale_noise)  # fmt: skip
