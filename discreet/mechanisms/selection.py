# SPDX-License-Identifier: Apache-2.0
"""Private selection: one of many candidates, likely one with few errors. [1] Lemma 3.3, [5] Prop 21.

Each candidate h makes err(h) errors on the rows, an integer to which each row adds from 0 to
`sensitivity`. Candidates with equal errors form a level; the choice is made among levels, exactly, and then uniformly
within the level. So 2^64 candidates cost as much as their distinct errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.coins.contract import Coins, Integers
from discreet.coins.levels import Levels
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import integer, integers, positive, settle

DENSE = 4
"""Errors that spread over at most this many times their number are tallied by counting, others by sorting."""

BLOCK = 4096


@dataclass(frozen=True, kw_only=True)
class _Selection:
    epsilon: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        settle(self, epsilon=positive("epsilon", self.epsilon))
        settle(self, sensitivity=integer("sensitivity", self.sensitivity, least=1))

    @property
    def rate(self) -> Fraction:
        """The weight lost by one more error: half of epsilon / sensitivity, as the best may move against h."""
        return self.epsilon / (2 * self.sensitivity)

    @property
    def loss(self) -> PrivacyLoss:
        """epsilon."""
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss:
        """Half of it: one more row adds errors and takes none away, so weights and their sum move the same way."""
        return AddRemoveLoss(self.epsilon / 2)


@dataclass(frozen=True, kw_only=True)
class ExponentialMechanism(_Selection):
    """P[h] proportional to exp(-epsilon err(h) / (2 sensitivity)): epsilon-private.

    Proof: weights and their sum each move by at most e^(epsilon/2). Output: the index of the candidate.
    """

    def __call__(self, errors: Integers, coins: Coins, /) -> int:
        levels = levels_of(errors, self.rate)
        return _member(errors, levels, coins.choose(levels), coins)


@dataclass(frozen=True, kw_only=True)
class PermuteAndFlip(_Selection):
    """McKenna and Sheldon 2020: every h gets a coin with P[heads] = exp(-epsilon (err(h) - least) / (2 sensitivity)),
    the output is uniform among heads.

    epsilon-private and never worse than the exponential mechanism. The same law is the winner of -err(h) plus
    exponential noise of scale 2 sensitivity / epsilon (Ding et al. 2021), and so it is drawn: one race among levels.
    It is not bounded-range: under zCDP it costs epsilon^2/2, not epsilon^2/8.
    """

    def __call__(self, errors: Integers, coins: Coins, /) -> int:
        levels = levels_of(errors, self.rate)
        return _member(errors, levels, coins.race(levels), coins)


def levels_of(errors: Integers, rate: Fraction) -> Levels:
    """The levels of an array of errors, one entry a candidate."""
    values, sizes = _tally(integers("errors", errors))
    return Levels(tuple(values.tolist()), tuple(sizes.tolist()), rate)


def _tally(errors: NDArray[np.integer[Any]]) -> tuple[Integers, Integers]:
    least, most = int(errors.min()), int(errors.max())
    if most - least > DENSE * len(errors) or abs(least) >> 62 or abs(most) >> 62:
        values, counts = np.unique(errors, return_counts=True)
        return values.astype(np.int64), counts
    counts = np.bincount(np.subtract(errors, least, dtype=np.int64))
    present = np.flatnonzero(counts)
    return present + least, counts[present]


def _member(errors: Integers, levels: Levels, level: int, coins: Coins) -> int:
    """A uniform candidate of the level: the k-th that makes its number of errors, found a block at a time."""
    rank = coins.below(levels.sizes[level])
    hits = np.asarray(errors) == levels.errors[level]
    per_block = np.add.reduceat(hits, np.arange(0, len(hits), BLOCK), dtype=np.int64)
    before = np.cumsum(per_block)
    block = int(np.searchsorted(before, rank, side="right"))
    inside = np.flatnonzero(hits[block * BLOCK : (block + 1) * BLOCK])
    return block * BLOCK + int(inside[rank - int(before[block] - per_block[block])])
