# SPDX-License-Identifier: Apache-2.0
"""The two contracts of randomness: `Bits` hands out uniform words, `Coins` are exact laws made of them.

A mechanism is a pure function of (public parameters, rows, coins) and never sees `Bits`. So the same
mechanism releases with the system's coins, is simulated with seeded ones, and is verified with
enumerating ones, which walk every branch of these laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.coins.balls import Ball

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Words = NDArray[np.uint64]

LARGEST_BOUND = 1 << 32
"""The largest bound of `belows`: its product with a word must fit two words."""


class Bits(Protocol):
    """A source of independent uniform words of `word_bits` bits."""

    @property
    def word_bits(self) -> int:
        """How many random bits one word holds, 1 to 64."""
        ...

    @property
    def simulated(self) -> bool:
        """True if anybody could foretell the words: what is made of them must never be called a release."""
        ...

    def words(self, count: int) -> Words:
        """The next `count` words."""
        ...

    def word(self) -> int:
        """The next word."""
        ...


class Weights(Protocol):
    """Positive weights of finitely many levels, known as exactly as one asks."""

    def __len__(self) -> int: ...

    def balls(self, bits: int) -> Sequence[Ball]:
        """The weights of *all* levels within `bits` of relative precision (call it within `precision`)."""
        ...

    def head(self, bits: int) -> tuple[Sequence[Ball], Ball]:
        """The weights of the first levels, and one ball around the sum of all the others.

        The others weigh at most 2^-bits of the first together, or there are none.
        """
        ...


class Ranked(Weights, Protocol):
    """Levels of equally good things: level j has `sizes[j]`, each of weight exp(-rate * errors[j])."""

    @property
    def errors(self) -> Sequence[int]:
        """Strictly increasing integers."""
        ...

    @property
    def sizes(self) -> Sequence[int]:
        """Positive integers of any length."""
        ...

    @property
    def rate(self) -> Fraction:
        """The weight lost by one more error, >= 0."""
        ...


class Coins(Protocol):
    """Independent draws from exact laws: no float decides any of them.

    Each law is named for what it draws. The vector forms draw `count` independent times from the same law;
    they return int64, so a `geometrics` draw beyond 2^62 is returned as 2^62 of the same sign.
    """

    @property
    def simulated(self) -> bool:
        """True if the bits beneath were seeded: the result is a simulation and never a release."""
        ...

    def below(self, count: int) -> int:
        """Uniform on {0, ..., count - 1}."""
        ...

    def bernoulli(self, probability: Fraction) -> bool:
        """True with the given rational probability."""
        ...

    def bernoulli_exp(self, exponent: Fraction) -> bool:
        """True with probability exp(-exponent), exponent >= 0."""
        ...

    def geometric(self, scale: Fraction) -> int:
        """Two-sided: k with probability (1 - r)/(1 + r) * r^|k|, r = exp(-1/scale); 0 if scale = 0."""
        ...

    def belows(self, bound: int, count: int) -> Integers:
        """`count` draws of `below(bound)`, bound <= 2^32."""
        ...

    def bernoullis(self, probability: Fraction, count: int) -> Booleans:
        """`count` draws of `bernoulli(probability)`."""
        ...

    def dyadics(self, numerators: Words) -> Booleans:
        """For each numerator k one draw of `bernoulli(k / 2^64)`."""
        ...

    def geometrics(self, scale: Fraction, count: int) -> Integers:
        """`count` draws of `geometric(scale)`."""
        ...

    def choose(self, weights: Weights) -> int:
        """Level j with probability weights[j] / sum(weights)."""
        ...

    def race(self, levels: Ranked) -> int:
        """The level of the winner when every thing scores -errors + (exponential noise of scale 1/rate)."""
        ...
