# SPDX-License-Identifier: Apache-2.0
"""Releases that are private because they hardly ever change: the distance test A_dist, and histograms over domains
of any size, strings included. All have delta > 0.

Noise is two-sided geometric, ratio r = e^(-epsilon/2). Its upper tail is P[X >= k] = r^k / (1 + r), k >= 0, which is
where every delta here comes from: the probability that noise alone carries a value over the public cut.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.coins.balls import Ball, ball, ceiling, round_up
from discreet.coins.contract import Coins, Integers
from discreet.coins.domains import refusal, shown
from discreet.errors import ParameterError
from discreet.mechanisms.cells import Name, cell_of, tally
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import fraction_of_one, integer, integers, positive, settle

Cells = tuple[tuple[Hashable, int], ...]
"""Released cells with their noisy counts, in an order that depends on the cells alone."""


def _steps(epsilon: Fraction, delta: Fraction) -> int:
    """The least k with P[X >= k] = r^k / (1 + r) <= delta: (2/epsilon) ln(1 / (delta (1 + r))), rounded up."""

    def needed(bits: int) -> Ball:
        ratio = (-ball(epsilon / 2)).exp()
        return -(ball(delta) * (1 + ratio)).log() * ball(2 / epsilon)

    return max(0, round_up(needed))


def _tail(epsilon: Fraction, steps: int) -> Fraction:
    """P[X >= steps], rounded up."""

    def chance(bits: int) -> Ball:
        return (-ball(epsilon * steps / 2)).exp() / (1 + (-ball(epsilon / 2)).exp())

    return ceiling(chance)


@dataclass(frozen=True, kw_only=True)
class ADist:
    """[5] Alg 1, corrected: the candidate with the highest score, if it leads clearly, else None.

    Scores are integers that a replaced row moves by at most 1, so the gap between the best and the second best moves by
    at most 2: the noise has ratio e^(-epsilon/2) and the cut is T = 2 + k, with k the least that P[X >= k] <= delta.
    (As printed, with noise of scale 1/epsilon and cut ln(1/delta)/epsilon, it is not private.)

    (epsilon, delta')-private, delta' = P[X >= T - 2] <= delta, met with equality. Proof where the best differs between
    neighbours: their gaps sum to at most 2. Ties go to the candidate that was declared first; their gap is 0.
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        settle(self, epsilon=positive("epsilon", self.epsilon), delta=fraction_of_one("delta", self.delta))

    @property
    def scale(self) -> Fraction:
        """Scale of the noise on the gap."""
        return 2 / self.epsilon

    @property
    def cut(self) -> int:
        """The noisy gap at which the best candidate is released."""
        return 2 + _steps(self.epsilon, self.delta)

    @property
    def loss(self) -> PrivacyLoss:
        """(epsilon, the delta that is reached)."""
        return PrivacyLoss(self.epsilon, _tail(self.epsilon, self.cut - 2))

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """Not stated: the gap's sensitivity is booked for replace-one only."""
        return None

    def __call__(self, scores: Integers, coins: Coins, /) -> int | None:
        array = integers("scores", scores, least_length=2)
        # Step 1: the best and the second best.
        best = int(np.argmax(array))
        second = int(np.delete(array, best).max())
        # Steps 2 and 3: the noisy gap against the cut.
        gap = int(array[best]) - second + coins.geometric(self.scale)
        return best if gap >= self.cut else None


@dataclass(frozen=True, kw_only=True)
class StabilityHistogram:
    """How many of `rows` rows lie in each cell of *any* domain: cells that are surely no accident, with noisy counts.

    A cell that no row is in stays absent. Any other gets noise of ratio e^(-epsilon/2) and is released, clamped to
    [T, rows], if it reaches T = 1 + k, with k the least that P[X >= k] <= delta. No condition on `rows`.

    (epsilon, delta')-private, delta' = P[X >= T - 1] <= delta, met with equality: a replaced row moves two cells by 1
    (epsilon/2 each); the one it alone was in appears with probability P[1 + X >= T].
    `rows` draws are made whatever the data, so that their number tells nothing.
    """

    epsilon: Fraction
    delta: Fraction
    rows: int

    def __post_init__(self) -> None:
        settle(self, epsilon=positive("epsilon", self.epsilon), delta=fraction_of_one("delta", self.delta))
        settle(self, rows=integer("rows", self.rows, least=1))

    @property
    def scale(self) -> Fraction:
        """Scale of the noise in each cell."""
        return 2 / self.epsilon

    @property
    def cut(self) -> int:
        """The noisy count at which a cell is released."""
        return 1 + _steps(self.epsilon, self.delta)

    @property
    def loss(self) -> PrivacyLoss:
        """(epsilon, the delta that is reached)."""
        return PrivacyLoss(self.epsilon, _tail(self.epsilon, self.cut - 1))

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """Not stated."""
        return None

    def __call__(self, cells: Sequence[Hashable], coins: Coins, /) -> Cells:
        _check_rows(cells, self.rows)
        noise = coins.geometrics(self.scale, self.rows).tolist()
        return _released(tally(cells).items(), noise, self.cut, self.rows)


@dataclass(frozen=True, kw_only=True)
class PointRelease:
    """[5] Alg 2 as published: a cell with at most alpha n / 4 rows is absent; any other gets noise of scale 2/epsilon
    and is released if it is above alpha n / 2.

    (epsilon, delta)-private under the public precondition n >= (8/(alpha epsilon)) (ln(1/delta) + epsilon/2), which is
    checked; not tight. With probability 1 - beta every count is within alpha n if n is O(log(1/(alpha beta delta)) /
    alpha).
    """

    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    rows: int

    def __post_init__(self) -> None:
        settle(self, epsilon=positive("epsilon", self.epsilon), delta=fraction_of_one("delta", self.delta))
        settle(self, alpha=fraction_of_one("alpha", self.alpha), rows=integer("rows", self.rows, least=1))
        if self.rows < self.rows_needed:
            needed = f">= {shown(self.rows_needed)} for [5] Alg 2"
            raise refusal("rows", needed, str(self.rows), "take a larger alpha, epsilon or delta")

    @property
    def rows_needed(self) -> int:
        """The published precondition."""
        epsilon, delta = self.epsilon, self.delta

        def needed(bits: int) -> Ball:
            return (ball(epsilon / 2) - ball(delta).log()) * ball(8 / (self.alpha * epsilon))

        return round_up(needed)

    @property
    def scale(self) -> Fraction:
        """Scale of the noise in each cell."""
        return 2 / self.epsilon

    @property
    def cut(self) -> int:
        """The least integer above alpha n / 2."""
        return int(self.alpha * self.rows / 2) + 1

    @property
    def heavy(self) -> int:
        """The least integer above alpha n / 4: cells with fewer rows are absent."""
        return int(self.alpha * self.rows / 4) + 1

    @property
    def loss(self) -> PrivacyLoss:
        """(epsilon, delta)."""
        return PrivacyLoss(self.epsilon, self.delta)

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """Not stated."""
        return None

    def __call__(self, cells: Sequence[Hashable], coins: Coins, /) -> Cells:
        _check_rows(cells, self.rows)
        # Step 1.
        counts = [(cell, count) for cell, count in tally(cells).items() if count >= self.heavy]
        # Step 2: as many draws as there can be heavy cells.
        noise = coins.geometrics(self.scale, self.rows // self.heavy).tolist()
        # Steps 3 and 4.
        return _released(counts, noise, self.cut, self.rows)


def _check_rows(cells: Sequence[Hashable], rows: int) -> None:
    """n is public, so this may raise."""
    if len(cells) != rows:
        raise ParameterError(f"`cells` must hold one cell for each of the declared {rows} rows, got {len(cells)}.")


def _released(counts: Iterable[tuple[Name, int]], noise: Iterable[int], cut: int, rows: int) -> Cells:
    """In the order of the cells themselves: the order in which rows came must not show."""
    noisy = ((name, count + added) for (name, count), added in zip(counts, noise, strict=False))
    kept = sorted((name, min(value, rows)) for name, value in noisy if value >= cut)
    return tuple((cell_of(name), value) for name, value in kept)
