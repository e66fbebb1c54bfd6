# SPDX-License-Identifier: Apache-2.0
"""Local randomizers: one person's value in, one randomised report out.

Each is *transparent* ([1] Def 5.13): it samples, and it gives the exact probability of every output for every input.

Probabilities are dyadic, k / 2^64, and capped at both ends so that no two inputs' probabilities of an output differ by
more than e^epsilon. A value outside the declared domain is clamped into it: a refusal would show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import cast

import numpy as np

from discreet.coins.balls import Ball, Real, ball, round_down
from discreet.coins.contract import Booleans, Coins, Integers, Words
from discreet.privacy.loss import AddRemoveLoss, PrivacyLoss
from discreet.privacy.parameters import integer, integers, positive, settle

WORD = 1 << 64

MOST_CHOICES = 1 << 32
WIDEST_GRID = 1 << 20


def _whole(value: object) -> int:
    """The integer that a value is, towards 0; 0 for what is no number: a refusal would show it."""
    if isinstance(value, int | np.integer | np.bool_) and not isinstance(value, np.timedelta64):
        return int(value)  # pyright: ignore[reportUnknownArgumentType]
    return int(value) if isinstance(value, float) and abs(value) < WORD else 0


def _values(values: Integers | Booleans) -> Integers:
    """One integer a person, as int64: in a smaller type a grid's index could overflow."""
    return integers("values", values, least_length=0).astype(np.int64)


def _bits(values: Booleans) -> Booleans:
    """One bit a person; of integers, whether they are not 0, as `bool` has it."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype == np.bool_:
        return values
    return _values(cast("Integers", values)) != 0


@dataclass(frozen=True, kw_only=True)
class _Local:
    epsilon: Fraction

    def __post_init__(self) -> None:
        settle(self, epsilon=positive("epsilon", self.epsilon))

    @property
    def loss(self) -> PrivacyLoss:
        """epsilon, towards the one value that is randomised."""
        return PrivacyLoss(self.epsilon)

    @property
    def add_remove_loss(self) -> AddRemoveLoss | None:
        """None: there is exactly one value."""
        return None


@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(_Local):
    """A bit, told truly with probability e^epsilon / (1 + e^epsilon), rounded down to k / 2^64. Warner 1965; [1] §5."""

    @cached_property
    def truthful(self) -> int:
        """k: the truth is told with probability k / 2^64."""
        return round_down(lambda bits: WORD / (1 + (-ball(self.epsilon)).exp()))

    def probability(self, output: bool, value: bool) -> Fraction:
        """P[output | value]."""
        return Fraction(self.truthful if bool(output) == (_whole(value) != 0) else WORD - self.truthful, WORD)

    def __call__(self, value: bool, coins: Coins, /) -> bool:
        return (_whole(value) != 0) == coins.bernoulli(Fraction(self.truthful, WORD))

    def reports(self, values: Booleans, coins: Coins) -> Booleans:
        """A report for each of many people, each with coins of its own."""
        bits = _bits(values)
        return np.equal(bits, coins.bernoullis(Fraction(self.truthful, WORD), len(bits)))


@dataclass(frozen=True, kw_only=True)
class KaryResponse(_Local):
    """One of `choices` values: told truly with probability q, else any of the k values alike, the true one among them.

    q = (e^epsilon - 1) / (e^epsilon + k - 1), rounded down to a multiple of 2^-64. The truth is 1 + k q / (1 - q) <=
    e^epsilon times as likely as each other value, and never less likely, however small epsilon is.
    """

    choices: int

    def __post_init__(self) -> None:
        super().__post_init__()
        settle(self, choices=integer("choices", self.choices, least=2, most=MOST_CHOICES))

    @cached_property
    def truthful(self) -> int:
        """t: the truth is told outright with probability t / 2^64."""

        def wanted(bits: int) -> Ball:
            gain = ball(self.epsilon).expm1()
            return WORD * gain / (gain + self.choices)

        return round_down(wanted)

    def probability(self, output: int, value: int) -> Fraction:
        """P[output | value]; 0 outside the domain."""
        truth = Fraction(self.truthful, WORD)
        if not 0 <= output < self.choices:
            return Fraction(0)
        return (1 - truth) / self.choices + (truth if output == self._inside(value) else 0)

    def __call__(self, value: int, coins: Coins, /) -> int:
        truth = coins.bernoulli(Fraction(self.truthful, WORD))
        other = coins.below(self.choices)
        return self._inside(value) if truth else other

    def reports(self, values: Integers, coins: Coins) -> Integers:
        """A report for each of many people."""
        inside = np.clip(_values(values), 0, self.choices - 1)
        truths = coins.bernoullis(Fraction(self.truthful, WORD), len(inside))
        told = coins.belows(self.choices, len(inside))
        np.copyto(told, inside, where=truths)
        return told

    def _inside(self, value: int) -> int:
        return max(0, min(self.choices - 1, _whole(value)))


@dataclass(frozen=True, kw_only=True)
class OneBitMean(_Local):
    """An integer g from -bound to bound told in one bit.

    + has probability 1/2 + g / (2B), B = bound (e^epsilon + 1) / (e^epsilon - 1). A
    report +B or -B has mean g, but for the rounding of the probability towards 1/2 by less than 2^-64.
    """

    bound: int

    def __post_init__(self) -> None:
        super().__post_init__()
        settle(self, bound=integer("bound", self.bound, least=1, most=WIDEST_GRID))

    @cached_property
    def numerators(self) -> Words:
        """k for each g from -bound to bound: + has probability k / 2^64."""
        return _numerators(self.epsilon, self.bound)

    def scale(self, bits: int) -> Ball:
        """B, the size of a report, as a ball."""
        return self.bound / (ball(self.epsilon) / 2).tanh()

    def probability(self, output: bool, value: int) -> Fraction:
        """P[output | value]."""
        plus = Fraction(int(self.numerators[self._index(value)]), WORD)
        return plus if output else 1 - plus

    def __call__(self, value: int, coins: Coins, /) -> bool:
        return coins.bernoulli(self.probability(True, value))

    def reports(self, values: Integers, coins: Coins) -> Booleans:
        """A report for each of many people."""
        return coins.dyadics(self.numerators[np.clip(_values(values), -self.bound, self.bound) + self.bound])

    def _index(self, value: int) -> int:
        return self.bound + max(-self.bound, min(self.bound, _whole(value)))


@lru_cache(maxsize=16)
def _numerators(epsilon: Fraction, bound: int) -> Words:
    """2^63 + floor(2^63 g tanh(epsilon/2) / bound) for g >= 0, and 2^64 minus that for -g.

    At g = bound this is floor(2^64 e^epsilon / (1 + e^epsilon)), the largest that epsilon allows.
    """
    half = WORD // 2
    up = [round_down(lambda bits, g=g: half * g * (ball(epsilon) / 2).tanh() / bound) for g in range(1, bound + 1)]
    return np.array([half - k for k in reversed(up)] + [half] + [half + k for k in up], dtype=np.uint64)


@dataclass(frozen=True, kw_only=True)
class LaplaceResponse(_Local):
    """[1] §5.1.1: an integer from `low` to `high` plus two-sided geometric noise of scale (high - low) / epsilon,
    clamped to the public grid from `low - margin` to `high + margin`.

    Its probabilities are not dyadic: `probability` gives balls of any precision.
    """

    low: int
    high: int
    margin: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        settle(self, low=integer("low", self.low, least=-WIDEST_GRID, most=WIDEST_GRID))
        settle(self, high=integer("high", self.high, least=self.low + 1, most=WIDEST_GRID))
        settle(self, margin=integer("margin", self.margin, least=0, most=WIDEST_GRID))

    @property
    def scale(self) -> Fraction:
        """Scale of the noise: two people's values differ by at most high - low."""
        return (self.high - self.low) / self.epsilon

    def probability(self, output: int, value: int) -> Real:
        """P[output | value]; 0 off the grid."""
        distance = abs(output - self._inside(value))
        first, last = self.low - self.margin, self.high + self.margin
        if not first <= output <= last:
            return Fraction(0)

        def chance(bits: int) -> Ball:
            ratio = (-1 / ball(self.scale)).exp()
            return ratio**distance / (1 + ratio) * (1 if output in (first, last) else 1 - ratio)

        return chance

    def __call__(self, value: int, coins: Coins, /) -> int:
        noisy = self._inside(value) + coins.geometric(self.scale)
        return max(self.low - self.margin, min(self.high + self.margin, noisy))

    def reports(self, values: Integers, coins: Coins) -> Integers:
        """A report for each of many people."""
        inside = np.clip(_values(values), self.low, self.high)
        noisy = inside + coins.geometrics(self.scale, len(inside))
        return np.clip(noisy, self.low - self.margin, self.high + self.margin)

    def _inside(self, value: int) -> int:
        return max(self.low, min(self.high, _whole(value)))
