# SPDX-License-Identifier: Apache-2.0
"""Noisy counts: [1] Thm 2.3, [5] Thm 20, with two-sided geometric noise on the integers in place of Laplace.

A row moves the counts by at most D in all, so noise of scale D / epsilon multiplies no output's probability by more
than e^epsilon: r^|k - c| <= e^(epsilon |c - c'| / D) r^|k - c'|, r = e^(-epsilon / D). The result is
clamped to a public range *after* the noise (post-processing), so raw noise never leaves. A count outside that
range is clamped before it, too, which brings no two counts further apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.coins.contract import Coins, Integers
from discreet.coins.domains import refusal
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import integer, integers, positive, settle

WIDEST = 1 << 61
"""Public ranges end here, so that a count and noise of at most 2^62 add up within 64 bits."""


def _check_range(low: int, high: int) -> tuple[int, int]:
    low = integer("low", low, least=-WIDEST, most=WIDEST)
    return low, integer("high", high, least=low, most=WIDEST)


@dataclass(frozen=True, kw_only=True)
class NoisyCount:
    """One count from `low` to `high`, to which each row adds an integer from 0 to `sensitivity`.

    epsilon-private, met with equality; the same under add/remove.
    """

    epsilon: Fraction
    low: int
    high: int
    sensitivity: int = 1

    def __post_init__(self) -> None:
        low, high = _check_range(self.low, self.high)
        settle(self, epsilon=positive("epsilon", self.epsilon), low=low, high=high)
        settle(self, sensitivity=integer("sensitivity", self.sensitivity, least=1))

    @property
    def scale(self) -> Fraction:
        """Scale of the noise."""
        return self.sensitivity / self.epsilon

    @property
    def loss(self) -> PrivacyLoss:
        """epsilon."""
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss:
        """epsilon: a row adds at most `sensitivity`, and at least 0."""
        return AddRemoveLoss(self.epsilon)

    def __call__(self, count: int, coins: Coins, /) -> int:
        if not isinstance(count, int | np.integer):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise refusal("count", "an integer", f"a {type(count).__name__}", "count rows")
        inside = max(self.low, min(self.high, int(count)))
        return max(self.low, min(self.high, inside + coins.geometric(self.scale)))


@dataclass(frozen=True, kw_only=True)
class NoisyCounts:
    """`queries` arbitrary counts, each as in `NoisyCount`: a row may move all of them, D = queries * sensitivity.

    epsilon-private, met with equality; the same under add/remove.
    """

    epsilon: Fraction
    queries: int
    low: int
    high: int
    sensitivity: int = 1

    def __post_init__(self) -> None:
        low, high = _check_range(self.low, self.high)
        settle(self, epsilon=positive("epsilon", self.epsilon), low=low, high=high)
        settle(self, queries=integer("queries", self.queries, least=1))
        settle(self, sensitivity=integer("sensitivity", self.sensitivity, least=1))

    @property
    def scale(self) -> Fraction:
        """Scale of the noise on each count."""
        return self.queries * self.sensitivity / self.epsilon

    @property
    def loss(self) -> PrivacyLoss:
        """epsilon for all the counts together."""
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss:
        """epsilon."""
        return AddRemoveLoss(self.epsilon)

    def __call__(self, counts: Integers, coins: Coins, /) -> Integers:
        inside = np.clip(integers("counts", counts, length=self.queries).astype(np.int64), self.low, self.high)
        return np.clip(inside + coins.geometrics(self.scale, self.queries), self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class NoisyHistogram:
    """How many of `rows` rows lie in each of `cells` disjoint cells, declared beforehand: D = 2 whatever their number.

    A replaced row leaves one cell and enters another. epsilon-private, met with equality; epsilon/2 under add/remove.
    Each cell is clamped to [0, rows].
    """

    epsilon: Fraction
    cells: int
    rows: int

    def __post_init__(self) -> None:
        settle(self, epsilon=positive("epsilon", self.epsilon), cells=integer("cells", self.cells, least=1))
        settle(self, rows=integer("rows", self.rows, least=0, most=WIDEST))

    @property
    def scale(self) -> Fraction:
        """Scale of the noise in each cell."""
        return 2 / self.epsilon

    @property
    def loss(self) -> PrivacyLoss:
        """epsilon for the whole histogram."""
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss:
        """Half of it: one row more moves one cell by 1."""
        return AddRemoveLoss(self.epsilon / 2)

    def __call__(self, counts: Integers, coins: Coins, /) -> Integers:
        inside = np.clip(integers("counts", counts, length=self.cells).astype(np.int64), 0, self.rows)
        return np.clip(inside + coins.geometrics(self.scale, self.cells), 0, self.rows)
